/** The one statement of an admission: who the keys belong to, and how many of their requests fit. */
import type { Columns } from '../platform/database-types.ts';
import type { Pool } from '../platform/postgres.ts';

/** More to read in the same round trip: SQL that may refer to `caller` (account_id, created_at, billing_period, now_at). */
export interface AdmissionColumns {
  /** Part of the prepared statement's name. */
  name: string;
  select: string;
  /** Joins that keep the one row. */
  joins: string;
  /**
   * What a request asks about, from the parameters of its path; the SQL may call it `wish.subject`. Requests share the
   * statement, so it must be a text that the database takes, whatever stands in the path.
   */
  subjectOf?: (params: unknown) => string;
}

/** The requests of one key that share a statement. */
export interface AskedKey {
  keyHash: Buffer;
  wanted: number;
}

/** What a request asks about, beside the place of its key in the list of keys, from 1. */
export interface Wish {
  place: number;
  subject: string;
}

export type AdmissionRow = Columns<'api_keys', 'account_id' | 'prefix' | 'mode'> &
  Columns<'accounts', 'rate_limit_per_minute'> &
  Columns<'rate_limits', 'key_id' | 'granted'> & {
    /** Place in the list of keys or, where requests have a subject, in that of wishes; from 1. */
    place: number;
    suspended: boolean;
    /** Seconds from the requests to the theoretical arrival time after them. */
    ahead_seconds: number;
  } & Record<string, unknown>;

export interface AdmissionStatement {
  run(pool: Pool, asked: readonly AskedKey[], wishes: readonly Wish[]): Promise<AdmissionRow[]>;
}

/** @param named planning it for each request took three quarters of the time (2,158 against 8,504 a second) */
export function admissionStatement(columns: AdmissionColumns | undefined, named: boolean): AdmissionStatement {
  const text = admissionSql(columns);
  const statement = named ? { name: `admit ${columns?.name ?? ''}`, text } : { text };
  return {
    async run(pool, asked, wishes) {
      const keys = [asked.map(({ keyHash }) => keyHash), asked.map(({ wanted }) => wanted)];
      const subjects = [wishes.map(({ place }) => place), wishes.map(({ subject }) => subject)];
      const values = columns?.subjectOf ? [...keys, ...subjects] : keys;
      return (await pool.query<AdmissionRow>({ ...statement, values })).rows;
    },
  };
}

// A request fits when the arrival time is at most a minute less one spacing ahead, so as many fit as there are spacings
// between the arrival time and a minute from now. The rows are always locked in the same order, so two statements with the
// same keys cannot deadlock. What is left is told as of the lock: of two statements the one that waits may have looked at the
// clock first. The lists stand in selects of their own so that the planner does not know how long they are: it would take a
// plan for one request for much cheaper than one for any number, and plan each time (1.4 against 0.3 ms). What is looked up for
// a request is looked up in a select of its own: of a join the planner may make one pass over the whole table, and keep that plan.
function admissionSql(columns: AdmissionColumns | undefined): string {
  const [place, requests] = columns?.subjectOf
    ? [
        'wish.place',
        'unnest((select $3::int[]), (select $4::text[])) with ordinality as wish (key_place, subject, place) join caller on caller.place = wish.key_place',
      ]
    : ['caller.place', 'caller'];
  return `
    with caller as materialized (
      select asked.place, k.id as key_id, k.account_id, k.prefix, k.mode, a.rate_limit_per_minute, a.billing_period, a.created_at,
        a.suspended_at is not null as suspended,
        60.0::float8 / a.rate_limit_per_minute as spacing, least(asked.wanted, a.rate_limit_per_minute) as wanted, clock.now_at
      from unnest((select $1::bytea[]), (select $2::int[])) with ordinality as asked(hash, wanted, place)
      cross join lateral (select id, account_id, prefix, mode from api_keys where hash = asked.hash and revoked_at is null limit 1) k
      cross join lateral (
        select rate_limit_per_minute, billing_period, created_at, suspended_at from accounts where id = k.account_id limit 1
      ) a
      cross join (select clock_timestamp() as now_at) clock
    ), rate as (
      insert into rate_limits as r (key_id, arrival_at, allowed, granted)
      select key_id, now_at + make_interval(secs => spacing * wanted), true, wanted from caller order by key_id
      on conflict (key_id) do update set (arrival_at, allowed, granted) = (
        select case when fit > 0 then from_at + make_interval(secs => spacing * fit) else r.arrival_at end, fit > 0, fit
        from (
          select c.spacing, greatest(r.arrival_at, c.now_at) as from_at,
            greatest(0, least(c.wanted, floor((60 - greatest(0, extract(epoch from r.arrival_at - c.now_at)::float8)) / c.spacing + 1e-4)::int)) as fit
          from caller c where c.key_id = r.key_id
        ) room
      )
      returning key_id, granted, arrival_at, clock_timestamp() as seen_at
    )
    select ${place}::int, caller.account_id, caller.key_id, caller.prefix, caller.mode, caller.rate_limit_per_minute, caller.suspended, rate.granted,
      extract(epoch from rate.arrival_at - greatest(caller.now_at, rate.seen_at))::float8 as ahead_seconds
      ${columns ? `, ${columns.select}` : ''}
    from ${requests} join rate using (key_id) ${columns?.joins ?? ''}`;
}
