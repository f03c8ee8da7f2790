// The speaker of a command by HTTP: that of the token, or, for a bridge, the one that it speaks for.
import type { Caller } from '../../core/session/api.ts';
import { callerOfCommand } from '../joined-session.ts';
import { HttpProblem } from './problems.ts';

interface BridgeFields {
  readonly as?: string | undefined;
  readonly addressed?: number | undefined;
  readonly replyToBot?: boolean | undefined;
}

/** Returns the caller of a command. Throws an `HttpProblem` if a field that only a bridge may use is there. */
export function commandCaller(caller: Caller, fields: BridgeFields): Caller {
  const names = ['as', 'addressed', 'replyToBot'] as const;
  const field = names.find((name) => fields[name] !== undefined);
  if (field !== undefined && !caller.speaker.roles.includes('bridge'))
    throw new HttpProblem('as_not_allowed', { field });
  return callerOfCommand(caller, fields.as);
}
