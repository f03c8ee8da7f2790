// The errors of OpenAI's API, with the codes of Belay in them.
import type { HttpProblem } from '../../gateway/http/problems.ts';
import type { RouteDoor } from '../../gateway/http/route.ts';

export interface OpenAIError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
};

/** Returns an error in the form of that API. */
export const openAIError = (
  status: number,
  code: string,
  message: string,
  param: string | null = null,
): OpenAIError => ({
  error: { message, type: types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error'), param, code },
});

export const openAIDoor: RouteDoor = {
  name: 'openai',
  errorBody({ status, document }: HttpProblem) {
    return openAIError(status, document.code, document.detail, document.field ?? null);
  },
};
