// The rules of acknowledgements in a runtime: whether there are any, and what their model call is like.
import type { ModelOptions } from '../../../machines/model-options.ts';
import { type AcknowledgeMode, acknowledgeModes } from '../../../machines/vocabulary.ts';

/** The model call of an acknowledgement, as far as it differs from the others. */
export interface AcknowledgementSettings {
  /** The endpoint's name of a model, a fast one perhaps. Default: that of the session. */
  readonly model?: string | undefined;
  /** How much the model is to reason, in the endpoint's own words. Default: that of the session. */
  readonly reasoningEffort?: string | undefined;
  /** The most tokens of the response, reasoning included. Default: 400. */
  readonly maxOutputTokens?: number | undefined;
  /** What stands for words in a text session. Default: 👍. */
  readonly emoji?: string | undefined;
}

export interface AcknowledgementRules {
  /** The mode of sessions that name none. */
  readonly mode: AcknowledgeMode;
  readonly emoji: string;
  /** The system message of the session's own turns, without hints on tools. Empty: there is none. */
  readonly instructions: string;
  readonly model: string | undefined;
  /** Instead of those of the session, option by option. */
  readonly options: ModelOptions;
}

const defaultMaxOutputTokens = 400;
const defaultEmoji = '👍';

/** Returns the problem with an emoji; null: it is one character that is seen. */
export function emojiProblem(emoji: string): string | null {
  const characters = [...new Intl.Segmenter().segment(emoji)];
  const isOne = characters.length === 1 && !/[\p{C}\p{Z}]/u.test(emoji.replaceAll('\u200d', ''));
  return isOne ? null : 'must be one emoji';
}

/** Throws a RangeError if it is none of the modes. `name`: of the setting. */
export function assertAcknowledgeMode(mode: AcknowledgeMode | undefined, name: string): void {
  if (mode === undefined || acknowledgeModes.includes(mode)) return;
  throw new RangeError(`${name} must be ${acknowledgeModes.join(', ')}, and is ${JSON.stringify(mode)}.`);
}

/** Returns the rules, with the defaults for what is left out. Throws a RangeError if a setting is wrong. */
export function acknowledgementRulesOf(
  { model, reasoningEffort, maxOutputTokens = defaultMaxOutputTokens, emoji = defaultEmoji }: AcknowledgementSettings,
  { mode, instructions }: Pick<AcknowledgementRules, 'mode' | 'instructions'>,
): AcknowledgementRules {
  assertAcknowledgeMode(mode, 'acknowledge');
  const problem = emoji === defaultEmoji ? null : emojiProblem(emoji); // the segmenter costs 10 ms of CPU at each start
  if (problem !== null) throw new RangeError(`acknowledgement.emoji ${problem}, and is ${JSON.stringify(emoji)}.`);
  if (!Number.isInteger(maxOutputTokens) || maxOutputTokens < 1)
    throw new RangeError(
      `acknowledgement.maxOutputTokens must be a whole number of at least 1, and is ${maxOutputTokens}.`,
    );
  const options = { maxOutputTokens, ...(reasoningEffort !== undefined && { reasoningEffort }) };
  return { mode, emoji, instructions, model, options };
}
