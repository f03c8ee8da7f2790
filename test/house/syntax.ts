// Parses a source into its syntax tree (by Vite's parser, which comes with Vitest) and finds the definitions in it.
import { parseAst } from 'vitest/node';

/** A node of the tree, in ESTree's words and TypeScript's additions to it. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** A named function, method or function type, wherever it is defined. */
export interface Definition {
  readonly name: string;
  readonly line: number;
}

/** A function that another file can import. */
export interface ExportedFunction extends Definition {
  readonly hasDocblock: boolean;
}

/** A function of whatever kind, with the number of lines that it takes. */
export interface FunctionSpan {
  readonly line: number;
  readonly lines: number;
}

/** A cast: `… as Type`. */
export interface CastSpan {
  readonly line: number;
  readonly lastLine: number;
  /** The type. */
  readonly text: string;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const childrenOf = (node: SyntaxNode): SyntaxNode[] => Object.values(node).flat().filter(isNode);

/** The file that was parsed last: several rules look at one after the other. */
let last: { readonly source: string; readonly tree: SyntaxNode } | undefined;

/** Parses TypeScript or JavaScript. Throws where the text is neither. */
export function parse(source: string): SyntaxNode {
  if (last?.source === source) return last.tree;
  const tree: unknown = parseEither(source);
  if (!isNode(tree)) throw new Error('The parser returned no tree.');
  last = { source, tree };
  return tree;
}

/** Parses a source as TypeScript, or else as TypeScript with elements, whose casts and generic functions are written in another way. */
function parseEither(source: string): unknown {
  try {
    return parseAst(source, { lang: 'ts' });
  } catch {
    return parseAst(source, { lang: 'tsx' });
  }
}

type NodeWithParent = readonly [SyntaxNode, SyntaxNode | null];

/** Lists a node and everything below it in the order of the source, each with its parent. */
function nodesOf(root: SyntaxNode): readonly NodeWithParent[] {
  const found: NodeWithParent[] = [];
  const add = (node: SyntaxNode, parent: SyntaxNode | null): void => {
    found.push([node, parent]);
    for (const child of childrenOf(node)) add(child, node);
  };
  add(root, null);
  return found;
}

/** The offsets of the line ends of the file whose lines were asked for last: there are many questions about one file. */
let lineEnds: { readonly source: string; readonly offsets: readonly number[] } = { source: '', offsets: [] };

function lineEndsOf(source: string): readonly number[] {
  if (lineEnds.source !== source) lineEnds = { source, offsets: [...source.matchAll(/\n/g)].map(({ index }) => index) };
  return lineEnds.offsets;
}

/** Returns the line, from 1, of a place in a source. */
function lineAt(source: string, offset: number): number {
  const ends = lineEndsOf(source);
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

const isFunction = (value: unknown): value is SyntaxNode =>
  isNode(value) && ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(value.type);

/** Returns the name of an identifier or key; of a private one with its `#`. */
function nameOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === 'PrivateIdentifier') return `#${String(value['name'])}`;
  if (typeof value['name'] === 'string') return value['name'];
  return typeof value['value'] === 'string' ? value['value'] : undefined;
}

/** Lists each function with its length. The blocks of a suite (callbacks of `describe`) are none, and do not count in the function around them. */
export function functionSpans(source: string): FunctionSpan[] {
  const functions = nodesOf(parse(source)).filter(([node]) => isFunction(node));
  const isBlock = ([, parent]: NodeWithParent): boolean => {
    const callee = parent?.type === 'CallExpression' ? parent['callee'] : undefined;
    return isNode(callee) && source.slice(callee.start, callee.end).startsWith('describe');
  };
  const linesOf = ({ start, end }: SyntaxNode): number => lineAt(source, end) - lineAt(source, start) + 1;
  const blocks = functions.filter(isBlock).map(([node]) => node);
  return functions.flatMap((one) => {
    const [node] = one;
    if (isBlock(one)) return [];
    const inside = blocks.filter((block) => block.start > node.start && block.end < node.end);
    const outer = inside.filter((block) => !inside.some((other) => other.start < block.start && other.end > block.end));
    const lines = linesOf(node) - outer.reduce((sum, block) => sum + linesOf(block), 0);
    return [{ line: lineAt(source, node.start), lines }];
  });
}

/** Lists what is defined under a name and can be called: functions, methods, and members whose type or value is a function. */
export function callableDefinitions(source: string): Definition[] {
  return nodesOf(parse(source)).flatMap(([node]) => {
    const name = callableName(node);
    return name === undefined ? [] : [{ name, line: lineAt(source, node.start) }];
  });
}

function callableName(node: SyntaxNode): string | undefined {
  const { type, id, key, init, value, typeAnnotation } = node;
  if (type === 'FunctionDeclaration' || type === 'TSDeclareFunction') return nameOf(id);
  if (type === 'VariableDeclarator') return isFunction(init) ? nameOf(id) : undefined;
  if (type === 'MethodDefinition' || type === 'TSMethodSignature') return nameOf(key);
  if (type === 'Property' || type === 'PropertyDefinition') return isFunction(value) ? nameOf(key) : undefined;
  const annotation = isNode(typeAnnotation) ? typeAnnotation['typeAnnotation'] : undefined;
  return type === 'TSPropertySignature' && isNode(annotation) && annotation.type === 'TSFunctionType'
    ? nameOf(key)
    : undefined;
}

const declaredIn = (exported: SyntaxNode): SyntaxNode[] => {
  const { declaration } = exported;
  if (!isNode(declaration)) return [];
  return declaration.type === 'VariableDeclaration' ? childrenOf(declaration) : [declaration];
};

const exportsOf = (source: string): SyntaxNode[] =>
  childrenOf(parse(source)).filter(({ type }) => type === 'ExportNamedDeclaration');

/** Lists the exported functions, arrow functions included; of overloads the first. */
export function exportedFunctions(source: string): ExportedFunction[] {
  const found = new Map<string, ExportedFunction>();
  for (const exported of exportsOf(source)) {
    for (const declared of declaredIn(exported)) {
      const name = callableName(declared);
      if (name === undefined || found.has(name)) continue;
      const hasDocblock = /\*\/\s*$/.test(source.slice(0, exported.start));
      found.set(name, { name, line: lineAt(source, exported.start), hasDocblock });
    }
  }
  return [...found.values()];
}

/** Lists the names that a file exports, types included; a re-export under its own name counts where it is declared. */
export function exportedNames(source: string): Definition[] {
  return exportsOf(source).flatMap((exported) =>
    declaredIn(exported).flatMap((declared) => {
      const name = nameOf(declared['id']);
      return name === undefined ? [] : [{ name, line: lineAt(source, exported.start) }];
    }),
  );
}

/** Whether the node is the `types` of an XState setup or a part of it: a type there can only be given by a cast. */
const isSetupTypes = ({ type, key }: SyntaxNode): boolean => type === 'Property' && nameOf(key) === 'types';

/** Lists the lines on which a cast starts or ends; `as const` is none, and neither is one in the `types` of an XState setup. */
export function castsIn(source: string): CastSpan[] {
  const found: CastSpan[] = [];
  const visit = (node: SyntaxNode): void => {
    if (isSetupTypes(node)) return;
    const { type, typeAnnotation } = node;
    if (type === 'TSAsExpression' && isNode(typeAnnotation)) {
      const text = source.slice(typeAnnotation.start, typeAnnotation.end);
      if (text !== 'const') found.push({ line: lineAt(source, node.start), lastLine: lineAt(source, node.end), text });
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parse(source));
  return found;
}

/** Lists the methods of a class, each as `Class.method` or `Class.#method`. */
function methodsOf({ type, id, body }: SyntaxNode): string[] {
  if (type !== 'ClassDeclaration' || !isNode(body)) return [];
  return childrenOf(body).flatMap((member) => {
    const name = callableName(member);
    return name === undefined ? [] : [`${nameOf(id)}.${name}`];
  });
}

/**
 * Returns every name that a file defines: exports, functions, members, methods as `Class.method`, and keys such as those of a chart's states.
 * A private method has its `#`.
 */
export function definedNames(source: string): Set<string> {
  const fromNodes = nodesOf(parse(source)).flatMap(([node]) =>
    node.type === 'Property' ? (nameOf(node['key']) ?? []) : methodsOf(node),
  );
  return new Set([...[...exportedNames(source), ...callableDefinitions(source)].map(({ name }) => name), ...fromNodes]);
}

/** Returns the specifiers from which a file imports values; an import of types alone is none. */
export function valueImports(source: string): Set<string> {
  const specifiers = childrenOf(parse(source)).flatMap((node) => {
    const { type, importKind, exportKind, source: from } = node;
    const isImport = type === 'ImportDeclaration' && importKind !== 'type';
    const isReexport = /^Export(Named|All)Declaration$/.test(type) && exportKind !== 'type';
    const named = childrenOf(node).filter((child) => /^(Import|Export)Specifier$/.test(child.type));
    const areTypes = named.length > 0 && named.every((one) => [one['importKind'], one['exportKind']].includes('type'));
    const specifier = nameOf(from);
    return (isImport || isReexport) && !areTypes && specifier !== undefined ? [specifier] : [];
  });
  const loaded = nodesOf(parse(source)).flatMap(([{ type, source: from }]) =>
    type === 'ImportExpression' ? (nameOf(from) ?? []) : [],
  );
  return new Set([...specifiers, ...loaded]);
}
