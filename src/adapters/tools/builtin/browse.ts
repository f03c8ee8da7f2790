// Tool `browse`: a page of the web as a person sees it, in a browser that lives as long as the call.
import { z } from 'zod';
import type { Tool, ToolContext, ToolEnd } from '../../../core/contracts/tool.ts';
import { defineTool } from '../../../core/tools/define-tool.ts';
import { failedEnd, stoppedEnd, ToolRefusal } from '../../../core/tools/refusal.ts';
import type { CommandUser } from '../../processes/command-user.ts';
import { type PageStep, stepInput, takeSteps, urlInput } from '../browser/page-steps.ts';
import type { AddressCheck } from '../checked-lookup.ts';
import type { BuiltinLimits } from './builtin-limits.ts';
import { createFile } from './create-file.ts';

export interface BrowseOptions extends AddressCheck {
  readonly limits: BuiltinLimits;
  /** Time from TERM to KILL of the browser, in milliseconds. */
  readonly termGraceMs: number;
  /** Another user that browsers run as. Left out: that of this process. */
  readonly user?: CommandUser | undefined;
  /** Whether they may run without their sandbox, where they cannot have one. */
  readonly mayOmitSandbox?: boolean | undefined;
  /** The path of Chromium; null: there is none. */
  readonly program: string | null;
}

/** Removes the log of attempts from an error of playwright. */
function withoutLog(error: unknown): unknown {
  if (error instanceof ToolRefusal || !(error instanceof Error)) return error;
  return new Error(error.message.split('\n')[0]);
}

async function browse(steps: readonly PageStep[], context: ToolContext, options: BrowseOptions): Promise<ToolEnd> {
  const { program, limits, ...browser } = options;
  if (program === null)
    throw new ToolRefusal('program_missing', 'No Chromium is installed on this host. Set BELAY_CHROMIUM to its path.');
  const saveFile = async (path: string | undefined, content: Uint8Array) => {
    if (content.length > limits.screenshotBytes) {
      throw new ToolRefusal(
        'too_large',
        `The screenshot has ${content.length} bytes: the limit is ${limits.screenshotBytes}.`,
      );
    }
    if (path !== undefined) await createFile(path, content, context, options.user);
  };
  const { withPage } = await import('../browser/browser-page.ts'); // before there is a browser to stop
  const { value, forced } = await withPage({ ...browser, program }, context, (open) =>
    takeSteps(steps, open, saveFile),
  );
  if (context.signal.aborted) return { ...stoppedEnd, output: value?.output ?? '', forced: forced || undefined };
  if (!value) throw new Error('The browser ended before the call did.');
  const shown = value.images.length > 0 ? { parts: value.images } : {};
  if (value.error === null) return { kind: 'completed', output: value.output, ...shown };
  const end = failedEnd(withoutLog(value.error), steps[0]?.do === 'navigate' ? steps[0].url : '');
  const output = [value.output, end.output].filter((text) => text !== '').join('\n\n');
  return { ...end, effect: 'unknown', output, ...shown };
}

/** Makes the tool `browse`. */
export function browseTool(options: BrowseOptions): Tool {
  return defineTool({
    name: 'browse',
    description:
      'Opens a page in a browser, takes steps on it, and returns their output. Each call starts a fresh browser; a newer call supersedes an earlier one. Private and local addresses are refused unless the configuration allows them.',
    input: z.object({
      url: urlInput,
      steps: z
        .array(stepInput)
        .max(options.limits.browseSteps)
        .default([{ do: 'read' }])
        .describe('Taken in this order, up to the first that fails.'),
    }),
    access: 'parallel',
    supersedes: () => 'browse',
    cancel: 'killable',
    stopMs: options.termGraceMs,
    effect: 'some',
    timeoutMs: 180_000,
    async run({ url, steps }, context) {
      if (context.signal.aborted) return stoppedEnd;
      try {
        return await browse([{ do: 'navigate', url }, ...steps], context, options);
      } catch (error) {
        return context.signal.aborted ? stoppedEnd : failedEnd(withoutLog(error), url);
      }
    },
  });
}
