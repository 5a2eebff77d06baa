/** Sorts items so that each comes after the items it needs. Items in a circle are left out; hashes cannot form circles. */
export function topological<T>(items: readonly T[], needs: (item: T) => readonly T[]): T[] {
  const waiting = new Map<T, number>();
  const namers = new Map<T, T[]>();
  const ready: T[] = [];
  for (const item of items) waiting.set(item, 0);
  for (const item of items) {
    let count = 0;
    for (const need of new Set(needs(item))) {
      if (!waiting.has(need)) continue;
      count++;
      const list = namers.get(need);
      if (list === undefined) namers.set(need, [item]);
      else list.push(item);
    }
    waiting.set(item, count);
    if (count === 0) ready.push(item);
  }
  for (let i = 0; i < ready.length; i++) {
    const item = ready[i];
    if (item === undefined) break;
    for (const namer of namers.get(item) ?? []) {
      const left = (waiting.get(namer) ?? 0) - 1;
      waiting.set(namer, left);
      if (left === 0) ready.push(namer);
    }
  }
  return ready;
}
