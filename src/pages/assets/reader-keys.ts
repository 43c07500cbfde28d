/** Single keys, as long as nobody is typing. */
const actions = new Map<string, () => void>();

export function onKey(key: string, action: () => void): void {
  if (actions.size === 0) document.addEventListener('keydown', press);
  actions.set(key, action);
}

function press(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const typing = (event.target as Element).closest?.('input, textarea, select, [contenteditable="true"]');
  const action = typing ? undefined : actions.get(event.key);
  if (!action) return;
  event.preventDefault();
  action();
}
