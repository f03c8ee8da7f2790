// Leaves out the tools whose names match no pattern, because the configuration of a session names those that it has.
import { matchesPattern } from './require-approval.ts';
import type { Tool } from './tool.ts';
import type { ToolSource } from './tool-source.ts';

/** Returns the tools whose names match a pattern. */
export const onlyTools = (tools: readonly Tool[], patterns: readonly string[]): readonly Tool[] =>
  tools.filter(({ name }) => patterns.some((pattern) => matchesPattern(pattern, name)));

/** The same for the tools of a source. */
export function onlyToolsOf(source: ToolSource, patterns: readonly string[]): ToolSource {
  let given: readonly Tool[] = [];
  let left: readonly Tool[] = [];
  const matches = (name: string) => patterns.some((pattern) => matchesPattern(pattern, name));
  return {
    tools() {
      if (source.tools() !== given) {
        given = source.tools();
        left = onlyTools(given, patterns);
      }
      return left;
    },
    mayHave: (name) => matches(name) && source.mayHave(name),
    instructions: () => source.instructions(),
    ready: async () => source.ready?.(),
    absenceOf: (name) => (matches(name) ? (source.absenceOf?.(name) ?? null) : null),
    async listOffers() {
      const offers = (await source.listOffers?.()) ?? [];
      return offers.map((offer) => ({
        ...offer,
        resources: matches(`${offer.server}__read_resource`) ? offer.resources : [],
        prompts: matches(`${offer.server}__get_prompt`) ? offer.prompts : [],
      }));
    },
    async readOffer(request) {
      const tool = request.prompt === undefined ? 'read_resource' : 'get_prompt';
      return matches(`${request.server}__${tool}`) ? ((await source.readOffer?.(request)) ?? null) : null;
    },
    endSession: async () => source.endSession?.(),
  };
}
