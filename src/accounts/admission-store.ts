import type { Columns } from '../platform/database-types.ts';
import { type FromRow, readRow } from '../platform/from-row.ts';
import type { Db } from '../platform/postgres.ts';

export type AdmissionRow = FromRow<
  Columns<'api_keys', 'account_id' | 'mode'> &
    Columns<'accounts', 'rate_limit_per_minute'> &
    Columns<'rate_limits', 'key_id' | 'allowed'>
> & {
  keyPrefix: string;
  /** The operator has suspended the account. */
  suspended: boolean;
  /** Seconds from now to the theoretical arrival time after this request. */
  aheadSeconds: number;
};

/**
 * Whose key it is, and whether one more request fits: it does when the arrival time after it is at most a minute ahead. The clock
 * is read after the row is locked. Of two requests at the same time, the one that waits must not come with an older time. The use of
 * the key is noted twice a minute at most: a second write each time would double what a request costs.
 * @returns undefined when no live key has this hash
 */
export async function takeRequest(db: Db, keyHash: Buffer): Promise<AdmissionRow | undefined> {
  return await readRow<AdmissionRow>(db)`
    with caller as materialized (
      select k.id as key_id, k.account_id, k.prefix, k.mode, a.rate_limit_per_minute, a.suspended_at is not null as suspended,
        make_interval(secs => 60.0::float8 / a.rate_limit_per_minute) as spacing
      from api_keys k join accounts a on a.id = k.account_id
      where k.hash = ${keyHash} and k.revoked_at is null
    ), rate as (
      insert into rate_limits as r (key_id, arrival_at, allowed)
      select key_id, clock_timestamp() + spacing, true from caller
      on conflict (key_id) do update set (arrival_at, allowed) = (
        select case when fits then next_at else r.arrival_at end, fits
        from (
          select next_at, next_at <= now_at + interval '60.0001 s' as fits
          from (
            select now_at, greatest(r.arrival_at, now_at) + caller.spacing as next_at
            from caller cross join (select clock_timestamp() as now_at) clock
          ) next
        ) room
      )
      returning allowed, extract(epoch from arrival_at - clock_timestamp())::float8 as ahead_seconds
    ), used as (
      update api_keys k set last_used_at = clock_timestamp() from rate cross join caller
      where allowed and not suspended and k.id = caller.key_id
        and (k.last_used_at is null or k.last_used_at < clock_timestamp() - interval '30 s')
    )
    select caller.key_id, account_id, prefix as key_prefix, mode, rate_limit_per_minute, suspended, allowed, ahead_seconds
    from caller cross join rate`;
}
