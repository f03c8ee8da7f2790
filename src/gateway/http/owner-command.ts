// Performs a command that the owner of a session and its moderators may give. To who may read the session a refusal says so; to anybody else there is no such session.
import { fieldsOf } from '../../core/collections/fields.ts';
import { HttpProblem } from './problems.ts';
import type { HttpCall } from './route.ts';

/** Resolves with the reply of the runtime. Rejects with an `HttpProblem`, `access_denied`: 404 where the speaker may not read the session, else 403. */
export async function asOwner<Reply>(
  session: string,
  { services: { runtime }, caller }: Pick<HttpCall, 'services' | 'caller'>,
  command: () => Promise<Reply>,
): Promise<Reply> {
  await (await runtime.directory()).check('read', caller, session);
  return command().catch((cause: unknown) => {
    const { code, message } = fieldsOf(cause);
    if (code === 'access_denied') throw new HttpProblem(code, { message: String(message), status: 403, cause });
    throw cause;
  });
}
