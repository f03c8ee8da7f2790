// Leaves out the tools whose names match no pattern, because the configuration of a session names those that it has.

import type { Tool } from '../contracts/tool.ts';
import type { ToolSource } from '../contracts/tool-source.ts';
import { changeSource, matchesPattern } from './require-approval.ts';

/** Returns the tools whose names match a pattern. */
export const onlyTools = (tools: readonly Tool[], patterns: readonly string[]): readonly Tool[] =>
  tools.filter(({ name }) => patterns.some((pattern) => matchesPattern(pattern, name)));

/** The same for the tools of a source. */
export function onlyToolsOf(source: ToolSource, patterns: readonly string[]): ToolSource {
  const matches = (name: string) => patterns.some((pattern) => matchesPattern(pattern, name));
  const changed = changeSource(source, (tools) => onlyTools(tools, patterns));
  return {
    ...changed,
    mayHave: (name) => matches(name) && changed.mayHave(name),
    absenceOf: (name) => (matches(name) ? changed.absenceOf(name) : null),
    async listOffers() {
      const offers = await changed.listOffers();
      return offers.map((offer) => ({
        ...offer,
        resources: matches(`${offer.server}__read_resource`) ? offer.resources : [],
        prompts: matches(`${offer.server}__get_prompt`) ? offer.prompts : [],
      }));
    },
    async readOffer(request) {
      const tool = request.prompt === undefined ? 'read_resource' : 'get_prompt';
      return matches(`${request.server}__${tool}`) ? changed.readOffer(request) : null;
    },
  };
}
