// The parts of a request that OpenAI's APIs share: the session, named by a header or its own, the profile, which they call a model, and options of the model.

import * as z from 'zod';
import type { TurnOptions } from '../../../machines/model-options.ts';
import { keyHeader, sessionName } from '../../gateway/http/common-schemas.ts';
import { HttpProblem } from '../../gateway/http/problems.ts';
import type { HttpCall } from '../../gateway/http/route.ts';
import { type DoorProfile, type DoorSettings, profilesFor } from '../door-turns/door-profiles.ts';

export const sessionHeader = 'x-belay-session';

/** The headers of a request that says something. */
export const sayingHeaders = keyHeader.extend({ [sessionHeader]: z.string().max(1_024).optional() });

/** Returns the name of the session, which is written as in an address; undefined: none is named. Throws an `HttpProblem`. */
export function sessionIn(header: string | undefined): string | undefined {
  if (header === undefined) return;
  let named = '';
  try {
    named = decodeURIComponent(header);
  } catch {} // it has a % without two hexadecimal digits of UTF-8
  const parsed = sessionName.safeParse(named);
  if (parsed.success) return parsed.data;
  throw new HttpProblem('bad_field', {
    field: sessionHeader,
    message: `The header ${sessionHeader} names no session.`,
  });
}

/** Returns the profile that a request names as its model. Throws an `HttpProblem` if there is none for this speaker. */
export function profileOf(model: string, settings: DoorSettings, { caller }: HttpCall): DoorProfile {
  const profile = profilesFor(settings, caller.speaker.id).get(model);
  if (profile) return profile;
  throw new HttpProblem('unknown_model', {
    field: 'model',
    status: 404,
    message: `There is no profile ${JSON.stringify(model.slice(0, 64))} for this speaker. GET /v1/models lists those that there are.`,
  });
}

/** Returns what a request asks of the model calls of its turn; undefined: nothing. */
export function turnOptionsOf(
  asked: {
    readonly [Field in 'reasoningEffort' | 'maxOutputTokens' | 'temperature']: TurnOptions[Field] | null | undefined;
  },
): TurnOptions | undefined {
  const options = Object.entries(asked).filter(([, value]) => value !== undefined && value !== null);
  return options.length > 0 ? Object.fromEntries(options) : undefined;
}
