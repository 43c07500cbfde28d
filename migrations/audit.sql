-- The books must balance: every row this returns is a fault. Run after every test suite and by operators at any time.
with transfers as (
  select account_id,
    coalesce(sum(amount) filter (where kind = 'top_up'), 0) as topped_up,
    coalesce(sum(amount) filter (where kind = 'hold'), 0) as held,
    coalesce(sum(amount) filter (where kind = 'charge'), 0) as charged,
    coalesce(sum(amount) filter (where kind = 'release'), 0) as released,
    coalesce(sum(amount) filter (where kind = 'refund'), 0) as refunded
  from credit_transfers group by account_id
)
select 'balances differ from the ledger' as fault, b.account_id as subject
from credit_balances b left join transfers t on t.account_id = b.account_id
where (b.granted, b.available, b.reserved, b.spent) is distinct from (
  coalesce(t.topped_up, 0), coalesce(t.topped_up - t.held + t.released + t.refunded, 0), coalesce(t.held - t.charged - t.released, 0),
  coalesce(t.charged - t.refunded, 0))
union all
select 'debits and credits differ', t.account_id from (
  select account_id, sum(amount) as moved from (
    select account_id, debit_book as book, -amount as amount from credit_transfers
    union all select account_id, credit_book, amount from credit_transfers
  ) both_sides group by account_id
) t where t.moved <> 0
union all
select 'open hold of a task that has ended', h.task_id
from credit_holds h join tasks k on k.id = h.task_id where h.ended_at is null and k.status <> 'pending'
union all
select 'pending task without its hold', k.id
from tasks k left join credit_holds h on h.task_id = k.id and h.ended_at is null
where k.status = 'pending' and not k.sandbox and k.action not in ('token_estimate', 'preview_metadata')
  and not (k.action = 'glossary_extraction' and k.glossary_strategy = 'replace') and k.estimated_credits > 0 and h.task_id is null
union all
select 'hold without its transfer', h.task_id
from credit_holds h left join credit_transfers t on t.task_id = h.task_id and t.kind = 'hold' and t.amount = h.amount
where t.id is null
union all
select 'charge or release differs from its hold', h.task_id
from credit_holds h
left join credit_transfers c on c.task_id = h.task_id and c.kind = 'charge'
left join credit_transfers r on r.task_id = h.task_id and r.kind = 'release'
where (coalesce(c.amount, 0), coalesce(r.amount, 0)) is distinct from (coalesce(h.charged, 0), coalesce(h.released, 0))
union all
select 'transfer without a hold', t.task_id
from credit_transfers t left join credit_holds h on h.task_id = t.task_id
where t.task_id is not null and h.task_id is null
union all
select 'more refunded than charged', r.refunded_task_id
from (select refunded_task_id, sum(amount) as refunded from credit_transfers where refunded_task_id is not null group by 1) r
left join credit_holds h on h.task_id = r.refunded_task_id
where r.refunded > coalesce(h.charged, 0)
union all
select 'task shows another charge than the ledger', k.id
from tasks k left join credit_holds h on h.task_id = k.id
where k.status <> 'pending' and k.credits_charged <> coalesce(h.charged, 0)
union all
select 'period counter differs from the ledger', a.id
from accounts a
left join (select account_id, sum(used_credits) as used from credit_periods group by account_id) p on p.account_id = a.id
left join transfers t on t.account_id = a.id
where coalesce(p.used, 0) <> coalesce(t.charged, 0)
union all
select 'completed translation without its file', k.id
from tasks k where k.status = 'completed' and k.action in ('translation', 'preview_translation') and k.purged_at is null
  and not exists (select from task_outputs o where o.task_id = k.id and o.file_id = 'translated')
union all
select 'charged more than was left to pay', k.id
from tasks k where k.status in ('completed', 'cancelled') and k.purged_at is null
  and k.credits_charged > k.char_count - (select coalesce(sum(c.paid_characters), 0) from checkpoints c where c.task_id = k.id)
union all
select 'cancelled and charged for more than was done and left to pay', k.id
from tasks k where k.status = 'cancelled' and k.action in ('translation', 'preview_translation') and k.purged_at is null
  and k.credits_charged > (select coalesce(sum(c.characters - c.paid_characters), 0) from checkpoints c
    where c.task_id = k.id and c.kind in ('segment', 'recall'))
union all
-- What a full run takes from a preview that was paid for is free, however often the run was interrupted.
select distinct 'paid for in a preview and not credited', k.id
from tasks k
join checkpoints c on c.task_id = k.id and c.kind = 'recall' and c.paid_characters < c.characters
cross join lateral json_each(c.record -> 'blocks') as recalled
join memories m on m.account_id = k.account_id and m.sandbox = k.sandbox and m.series_id is null
join memory_blocks b on b.memory_id = m.id and b.text_key = (recalled.value #>> '{place,text}')::uuid
  and b.variant = (recalled.value #>> '{place,variant}')::bigint and b.context = (recalled.value #>> '{place,context}')::bigint
join tasks preview on preview.id = b.task_id and preview.ended_at < c.created_at
where k.status in ('completed', 'cancelled') and k.purged_at is null and k.series_id is null and k.char_limit is null
  and k.credit_previews and not (recalled.value ->> 'free')::boolean
  and preview.status = 'completed' and preview.credits_charged > 0 and preview.char_limit is not null
union all
select 'charged for what was reused', k.id
from tasks k where k.status = 'completed' and k.purged_at is null
  and k.credits_charged > k.char_count - coalesce((k.result -> 'coverage' ->> 'reused')::bigint, 0)
union all
select 'block remembered for a task that did not deliver it', b.task_id
from memory_blocks b join tasks k on k.id = b.task_id where k.status <> 'completed' or k.purged_at is not null
union all
select 'memory of another account than its series', m.series_id
from memories m join series s on s.id = m.series_id where (m.account_id, m.sandbox) is distinct from (s.account_id, s.sandbox)
union all
select 'block of a memory that is gone', b.memory_id::text
from memory_blocks b where not exists (select from memories m where m.id = b.memory_id)
union all
select 'extraction charged although nothing was read', k.id
from tasks k where k.action = 'glossary_extraction' and k.credits_charged > 0 and k.purged_at is null
  and k.created_at > (select timestamp::timestamptz from schema_migrations where name = '0010_paid_segments')
  and (k.glossary_strategy = 'replace'
    or not exists (select from checkpoints c where c.task_id = k.id and c.kind = 'extraction' and c.characters > 0))
union all
select 'task that ended without its event', k.id
from tasks k where k.ended_at > now() - interval '29 days'
  and k.ended_at > (select timestamp::timestamptz from schema_migrations where name = '0020_events')
  and not exists (select from events e where e.task_id = k.id and e.type = 'task.' || k.status)
union all
select 'event at a place that its account''s feed has not reached', e.id
from events e left join event_counters c on c.account_id = e.account_id
where e.place > coalesce(c.last, 0)
union all
select 'text of a task that was purged', k.id
from tasks k where k.purged_at is not null and (k.source_key is not null
  or exists (select from task_outputs o where o.task_id = k.id) or exists (select from checkpoints c where c.task_id = k.id)
  or exists (select from task_texts t where t.task_id = k.id))
union all
select 'object of a purged task is still waiting to be removed', o.key
from loose_objects o join tasks k on k.id = o.task_id where k.purged_at < now() - interval '1 hour'
union all
select 'pending task without a job', k.id
from tasks k join tasks_without_job() lost on lost = k.id where k.created_at < now() - interval '10 minutes';
