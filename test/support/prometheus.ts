// Reads the text format of Prometheus: the value of each series.

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Returns every series of a text. Throws for a line that is neither a comment nor a series. */
export function parseSeries(text: string): readonly Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (!match) throw new Error(`This is no series: ${line}`);
      const [, name = '', labels = '', value] = match;
      return { name, labels: Object.fromEntries(readLabels(labels)), value: Number(value) };
    });
}

const readLabels = (text: string): [string, string][] =>
  [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]);

/** Returns the values of one metric by its labels, in the order of the given ones, joined by spaces. Series that are 0 are left out. */
export function seriesCounts(series: readonly Series[], name: string, ...labels: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of series) {
    if (one.name !== name || one.value === 0) continue;
    const key = labels.map((label) => one.labels[label] ?? '').join(' ');
    counts[key] = (counts[key] ?? 0) + one.value;
  }
  return counts;
}
