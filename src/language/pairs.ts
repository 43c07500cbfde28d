/** A table that is written as `key=value key=value`. */
export function pairsIn(list: string): [key: string, value: string][] {
  return list.split(' ').map((pair) => {
    const [key = '', value = ''] = pair.split('=');
    return [key, value];
  });
}
