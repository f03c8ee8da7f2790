// The kinds of calls, for user interfaces that show each kind in its own way.

export const callKinds = ['read', 'edit', 'search', 'execute', 'fetch', 'think', 'agent', 'other'] as const;
export type CallKind = (typeof callKinds)[number];

/** The tools of Belay. Those of an embedder and of servers are `other`. */
const kinds: Readonly<Record<string, CallKind>> = {
  read_file: 'read',
  list_files: 'search',
  write_file: 'edit',
  shell: 'execute',
  run_code: 'execute',
  fetch_url: 'fetch',
  browse: 'fetch',
  ask_user: 'think',
  session_status: 'think',
  cancel_call: 'think',
  spawn_agent: 'agent',
};

/** Returns the kind of the calls of a tool. */
export const callKind = (tool: string): CallKind => (Object.hasOwn(kinds, tool) ? kinds[tool] : undefined) ?? 'other';
