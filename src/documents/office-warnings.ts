import type { DocumentWarning } from './document.ts';

/** Files of other programs inside a document, such as spreadsheets: they are not opened, so the partner has to know. */
export function objectsLeft(count: number): DocumentWarning[] {
  if (count === 0) return [];
  const objects = count === 1 ? '1 embedded object was' : `${count} embedded objects were`;
  const message = `${objects} left as in the source: the words inside are not translated.`;
  return [{ code: 'EMBEDDED_OBJECTS_LEFT', message }];
}

export function changesAccepted(count: number): DocumentWarning[] {
  if (count === 0) return [];
  const changes = count === 1 ? '1 tracked change was' : `${count} tracked changes were`;
  const message = `${changes} accepted: what was inserted is translated, what was deleted is left out.`;
  return [{ code: 'TRACKED_CHANGES_ACCEPTED', message }];
}
