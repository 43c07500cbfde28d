/** What was sold and what it cost: ended tasks by account, action, language pair and day, beside the tokens of engines. */

import { badRequest } from '../errors.ts';
import type { Db } from '../platform/postgres.ts';
import { wireFields } from '../wire-fields.ts';
import { isOneOf } from '../written-values.ts';
import { readCosts } from './engine-spending-store.ts';
import { engineUsageOfDays } from './engine-usage-store.ts';
import { readUsage, type UsageGroup, type UsageLine, usageGroups, usageSums } from './usage-store.ts';

export interface UsageRequest {
  from?: string | undefined;
  to?: string | undefined;
  accountId?: string | undefined;
  /** Such as `day,account`. */
  by?: string | undefined;
  /** Costs of each account instead of all together. */
  costByAccount?: boolean;
}

const defaultDays = 30;
const maxDays = 366;
const dayMs = 86_400_000;

/** `cut` is true when there are more lines than the limit. @throws BAD_REQUEST */
export async function reportUsage(db: Db, request: UsageRequest, limit: number) {
  const to = day(request.to ?? new Date().toISOString().slice(0, 10), 'to');
  const usualFrom = new Date(Date.parse(to) - (defaultDays - 1) * dayMs).toISOString().slice(0, 10);
  const from = day(request.from ?? usualFrom, 'from');
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days < 1 || days > maxDays) throw badRequest(`A report covers 1 to ${maxDays} days.`, { field: 'from' });
  const by = (request.by ?? 'account,action,pair').split(',').filter((name) => name !== '');
  const unknown = by.find((name) => !isOneOf(name, usageGroups));
  if (unknown !== undefined) throw badRequest(`"${unknown}" is none of ${usageGroups.join(', ')}.`, { field: 'by' });
  const { accountId } = request;
  const lines = await readUsage(db, { from, to, accountId, by: by as UsageGroup[], limit: limit + 1 });
  const engines = await engineUsageOfDays(db, { from, to, accountId, limit });
  const costs = await readCosts(db, { from, to, accountId, byAccount: request.costByAccount === true, limit });
  return { from, to, by: by as UsageGroup[], lines: lines.slice(0, limit), cut: lines.length > limit, engines, costs };
}

/** @throws BAD_REQUEST */
function day(text: string, field: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw badRequest(`"${field}" is a day such as 2026-11-15.`, { field });
  return text;
}

const columns = ['day', 'account_id', 'account_name', 'action', 'source_lang', 'target_lang'] as const;

export function usageLineView(line: UsageLine) {
  return {
    ...(line.day === undefined ? {} : { day: line.day }),
    ...(line.accountId === undefined ? {} : { account_id: line.accountId, account_name: line.accountName }),
    ...(line.action === undefined ? {} : { action: line.action }),
    ...(line.sourceLang === undefined ? {} : { source_lang: line.sourceLang, target_lang: line.targetLang }),
    ...wireFields(line, ...usageSums),
  };
}

export function usageCsv(lines: readonly UsageLine[]): string {
  const views = lines.map((line) => usageLineView(line) as Record<string, string | number | undefined>);
  const shown = [...columns.filter((name) => views.some((view) => view[name] !== undefined)), ...usageSums];
  return [shown.join(','), ...views.map((view) => shown.map((name) => csvCell(view[name] ?? '')).join(','))]
    .map((line) => `${line}\r\n`)
    .join('');
}

/** A cell that a spreadsheet would take for a formula gets an apostrophe: partners choose their names. */
function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
