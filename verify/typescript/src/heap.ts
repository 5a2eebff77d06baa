/** A binary heap with the smallest item first. */
export class Heap<T> {
  private readonly items: T[] = [];
  constructor(private readonly compare: (a: T, b: T) => number) {}

  get size(): number {
    return this.items.length;
  }

  private less(i: number, j: number): boolean {
    const a = this.items[i];
    const b = this.items[j];
    return a !== undefined && b !== undefined && this.compare(a, b) < 0;
  }

  private swap(i: number, j: number): void {
    const a = this.items[i];
    const b = this.items[j];
    if (a === undefined || b === undefined) return;
    this.items[i] = b;
    this.items[j] = a;
  }

  push(item: T): void {
    let at = this.items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.less(at, parent)) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  pop(): T | undefined {
    const top = this.items[0];
    const last = this.items.pop();
    if (this.items.length === 0 || last === undefined) return top;
    this.items[0] = last;
    let at = 0;
    for (;;) {
      let least = at;
      if (this.less(2 * at + 1, least)) least = 2 * at + 1;
      if (this.less(2 * at + 2, least)) least = 2 * at + 2;
      if (least === at) return top;
      this.swap(at, least);
      at = least;
    }
  }
}
