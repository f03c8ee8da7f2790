// Tool `ask_user`: asks a person a question and waits for the answer.
import { z } from 'zod';
import type { Tool } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { stoppedEnd } from '../../../core/tools/refusal.ts';

const maxChars = 4_096;
/** A day: the model may ask again. */
const maxExpiresMs = 86_400_000;

/** Makes the tool `ask_user`. */
export function askUserTool(): Tool {
  return defineTool({
    name: 'ask_user',
    description: 'Asks a person, the one who spoke by default, and waits for the answer.',
    input: z.object({
      question: z.string().min(1).max(maxChars),
      choices: z
        .array(z.string().min(1).max(200))
        .min(1)
        .max(20)
        .optional()
        .describe('What to choose from. Left out: any words.'),
      to: z
        .string()
        .min(1)
        .max(128)
        .optional()
        .describe('Another speaker of the session, by the name in session_status.'),
      expiresMs: z.int().min(1_000).max(maxExpiresMs).optional().describe('Milliseconds to wait; for ever by default.'),
    }),
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    timeoutMs: 0,
    async run({ question, choices, to, expiresMs }, { signal, ask, speaker, status }) {
      if (signal.aborted) return stoppedEnd;
      const present = [...new Set([speaker, ...status().speakers])];
      if (to !== undefined && !present.includes(to)) {
        const message = `There is no speaker ${to} in the session. Present: ${present.join(', ')}.`;
        return { kind: 'failed', code: 'bad_arguments', output: message, message, effect: 'none' };
      }
      const answer = await ask({ text: question, choices, to, expiresMs });
      return choices?.includes(answer) === false ? `${answer}\n[none of the choices]` : answer;
    },
  });
}
