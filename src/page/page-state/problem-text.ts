// The sentence with which the gateway refuses a request.

/** Returns the sentence of a problem document. */
export async function problemText(response: Response): Promise<string> {
  const problem: unknown = await response.json().catch(() => null);
  if (typeof problem === 'object' && problem !== null && 'detail' in problem) return String(problem.detail);
  return `The gateway replied with status ${response.status}.`;
}
