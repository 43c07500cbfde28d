-- W3C trace context of the create call, so that the worker's spans join its trace. Null where no traces are sent.
alter table tasks add column traceparent text;
alter table tasks add constraint tasks_traceparent_form check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$');
