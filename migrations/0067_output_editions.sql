-- Which state of the task's corrections a file holds; 0 = as it was delivered. A file that is older is made again when somebody asks for it.
alter table task_outputs add column edition bigint not null default 0;
