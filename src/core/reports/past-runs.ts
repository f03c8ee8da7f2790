// Finds past runs: the root turns of a session by what was said, who said it, how they ended, which tool they called, why they were stopped, and when.
import type { SequencedFact } from '../../../machines/facts.ts';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { TurnSearch } from '../contracts/session-search.ts';
import { searchWords, withoutAccents } from '../text/search-words.ts';
import { cancelsOf } from './cancel-report.ts';
import { type NodeReport, nodesOf } from './node-report.ts';

/** Returns the root turns of a session that are what the search asks for, the newest first. */
export function findRuns(
  facts: readonly SequencedFact[],
  { words, outcome: ended, speaker, tool, cause, since, until }: TurnSearch,
): readonly NodeReport[] {
  const nodes = nodesOf(facts);
  const rootOf = (id: NodeId): NodeId => {
    const parent = nodes.get(id)?.parent ?? null;
    return parent === null ? id : rootOf(parent);
  };
  const calling = new Set([...nodes.values()].filter(({ name }) => name === tool).map(({ node }) => rootOf(node)));
  const stopped = cancelsOf(facts).filter(({ source }) => source === cause);
  const caused = new Set(stopped.flatMap((cancel) => cancel.nodes.map(({ node }) => rootOf(node))));
  const isSaidIn = wordsMatcher(facts, words ?? [], rootOf);
  return [...nodes.values()]
    .filter(({ kind, parent }) => kind === 'turn' && parent === null)
    .filter(({ outcome }) => ended === undefined || (outcome ?? 'open') === ended)
    .filter(({ owner }) => speaker === undefined || owner === speaker)
    .filter(({ node }) => tool === undefined || calling.has(node))
    .filter(({ node }) => cause === undefined || caused.has(node))
    .filter(({ openedAt }) => (since === undefined || openedAt >= since) && (until === undefined || openedAt < until))
    .filter(({ node }) => isSaidIn(node))
    .toReversed();
}

/** Returns whether a root turn has a message with all of the words, each at the beginning of a word; all turns do where the title of the session has them. */
function wordsMatcher(
  facts: readonly SequencedFact[],
  words: readonly string[],
  rootOf: (id: NodeId) => NodeId,
): (root: NodeId) => boolean {
  if (words.length === 0) return () => true;
  const wanted = words.map(withoutAccents);
  const hasAll = (text: string) => {
    const said = searchWords(text).map(withoutAccents);
    return wanted.every((word) => said.some((one) => one.startsWith(word)));
  };
  const found = new Set<NodeId>();
  let title = '';
  for (const { fact } of facts) {
    switch (fact.type) {
      case 'turn_opened':
      case 'input_deferred':
      case 'model_ended':
        if (hasAll(fact.text)) found.add(rootOf(fact.turn));
        break;
      case 'question_closed':
        if (hasAll(fact.text ?? '')) found.add(rootOf(fact.node));
        break;
      case 'session_renamed':
        title = fact.title ?? '';
        break;
    }
  }
  return hasAll(title) ? () => true : (root) => found.has(root);
}
