// Makes mutants: changes of one place of a source, as a slip of the hand would make them. Each has an operator, by which it is named in the report.
import { parse, type SyntaxNode } from '../../../test/house/syntax.ts';
import { read, sourcesBelow } from '../../../test/house/tree.ts';

export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly operator: string;
  /** The text from `start` to `end` of the file is replaced by `to`. */
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

interface Change {
  readonly operator: string;
  readonly at: SyntaxNode;
  readonly to: string;
}

const folders = ['machines', 'src/core'];
/** Words and texts have lists of their own to be held against: npm test. */
const leftOut = ['src/core/intent/', 'src/core/markdown/', 'src/core/words/', 'machines/index.ts'];

const swapped: Readonly<Record<string, string>> = {
  '&&': '||',
  '||': '&&',
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
const nodesIn = (value: unknown): readonly SyntaxNode[] => (Array.isArray(value) ? value : [value]).filter(isNode);

/** Lists the nodes of a tree that are code, not types. */
function* codeNodes(node: SyntaxNode): Generator<SyntaxNode> {
  const isType = /^TS(?!(As|Satisfies|NonNull))/.test(node.type) || node.type === 'ImportDeclaration';
  if (isType) return;
  yield node;
  for (const field of Object.values(node)) for (const child of nodesIn(field)) yield* codeNodes(child);
}

/** Lists the changes at one node. `source`: its file. `targets`: the states that a transition of the file goes to. */
function changesAt(node: SyntaxNode, source: string, targets: readonly string[]): readonly Change[] {
  const textOf = ({ start, end }: SyntaxNode) => source.slice(start, end);
  const change = (operator: string, at: SyntaxNode, to: string): Change => ({ operator, at, to });
  const { type, test, left, right, operator, elements, consequent, expression, key, value, kind } = node;
  switch (type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return nodesIn(test).map((one) => change('negate a condition', one, `!(${textOf(one)})`));
    case 'LogicalExpression':
    case 'BinaryExpression': {
      const [first] = nodesIn(left);
      const [second] = nodesIn(right);
      const other = swapped[String(operator)];
      if (!first || !second) return [];
      if (operator === '??') return [change('drop a default', node, textOf(first))];
      if (operator === '+' && textOf(second) === '1') return [change('off by one', node, textOf(first))];
      return other ? [change(`${operator} becomes ${other}`, node, `${textOf(first)} ${other} ${textOf(second)}`)] : [];
    }
    case 'ExpressionStatement': {
      const [one] = nodesIn(expression);
      const isWork = ['CallExpression', 'AwaitExpression', 'AssignmentExpression', 'UpdateExpression'];
      const isVoid = one?.type === 'UnaryExpression' && one['operator'] === 'void';
      return one && (isWork.includes(one.type) || isVoid) ? [change('drop a statement', node, ';')] : [];
    }
    case 'ReturnStatement': {
      const isEarly = nodesIn(node['argument']).length === 0;
      return isEarly ? [change('drop a return', node, ';')] : [];
    }
    case 'ArrayExpression':
      return nodesIn(elements).map((one) => {
        const rest = nodesIn(elements).filter((other) => other !== one);
        return change('drop an element', node, `[${rest.map(textOf).join(', ')}]`);
      });
    case 'SwitchCase':
      return nodesIn(consequent).length > 0 && nodesIn(test).length > 0 ? [change('drop a case', node, '')] : [];
    case 'Literal':
      return typeof value === 'boolean' ? [change('flip a boolean', node, String(!value))] : [];
    case 'Property': {
      const [name] = nodesIn(key);
      const [given] = nodesIn(value);
      if (kind !== 'init' || !name || !given) return [];
      if (textOf(name) === 'guard') return ['true', 'false'].map((to) => change('swap a guard', given, `() => ${to}`));
      if (!targets.includes(textOf(given))) return [];
      const other = targets[(targets.indexOf(textOf(given)) + 1) % targets.length] ?? '';
      return other === textOf(given) ? [] : [change('change a target', given, other)];
    }
    default:
      return [];
  }
}

/** The states that the transitions of a chart go to, as its text has them. */
function targetsIn(source: string): readonly string[] {
  const found = source.matchAll(/(?:target: |: )('(?:#|\.)?[a-z-]+(?:\.[a-z]+)*'),?/g);
  const named = [...found].map(([, target]) => target ?? '').filter((target) => target.startsWith("'#"));
  const direct = [...source.matchAll(/target: ('[^']+')/g)].map(([, target]) => target ?? '');
  return [...new Set([...named, ...direct])];
}

/** Lists the mutants of a file. */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const targets = file.startsWith('machines/') ? targetsIn(source) : [];
  return [...codeNodes(parse(source))].flatMap((node) =>
    changesAt(node, source, targets).map(({ operator, at: { start, end }, to }) => {
      const line = source.slice(0, start).split('\n').length;
      return { file, line, operator, start, end, from: source.slice(start, end), to };
    }),
  );
}

/** Lists the mutants of machines/ and src/core. */
export const allMutants = (): readonly Mutant[] =>
  sourcesBelow(folders)
    .filter((file) => !leftOut.some((prefix) => file.startsWith(prefix)))
    .flatMap((file) => mutantsOf(file, read(file)));

/** The text of a file with the mutant in it. */
export const applyMutant = (source: string, { start, end, to }: Mutant): string =>
  source.slice(0, start) + to + source.slice(end);
