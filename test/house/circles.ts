// Finds circles in a graph of imports: the sets of files that all lead to each other (Tarjan's strongly connected components).

/** From each file to what it imports. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** The circles, each sorted by name. */
export function circlesIn(graph: Graph): string[][] {
  const circles: string[][] = [];
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];

  const visit = (file: string): void => {
    numbers.set(file, numbers.size);
    lowest.set(file, numbers.size - 1);
    stack.push(file);
    const lower = (number: number): void => {
      lowest.set(file, Math.min(lowest.get(file) ?? number, number));
    };
    for (const next of graph.get(file) ?? []) {
      if (!numbers.has(next)) {
        visit(next);
        lower(lowest.get(next) ?? 0);
      } else if (stack.includes(next)) lower(numbers.get(next) ?? 0);
    }
    if (lowest.get(file) !== numbers.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1 || graph.get(file)?.includes(file)) circles.push(circle.sort());
  };
  for (const file of graph.keys()) if (!numbers.has(file)) visit(file);
  return circles.sort();
}
