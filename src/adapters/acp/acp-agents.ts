// The outside agents of a runtime, which speak the Agent Client Protocol, with the sessions that they keep.
import type { AcpAgent, AgentContext, CheckedAgents, OutsideAgents } from '../../core/contracts/outside-agents.ts';
import { readAcpAgent } from './agent-config.ts';
import { KeptSessions } from './kept-sessions.ts';
import { outsideAgentsTool } from './outside-agents-tool.ts';

export class AcpAgents implements OutsideAgents {
  readonly #sessions: KeptSessions;

  constructor(sessions: KeptSessions = new KeptSessions()) {
    this.#sessions = sessions;
  }

  checkAgents(agents: ReadonlyMap<string, AcpAgent>, { roots, limits }: AgentContext): CheckedAgents {
    const checked = [...agents].map(
      ([name, agent]) => [name, readAcpAgent(agent, { path: `agents.${name}.acp`, roots, limits })] as const,
    );
    return {
      createTool: (names, defaultName) =>
        outsideAgentsTool({
          agents: new Map(checked.filter(([name]) => names.includes(name))),
          sessions: this.#sessions,
          stopBudgetMs: limits.agentCancelMs,
          defaultName,
        }),
    };
  }

  forgetSession(session: string): void {
    this.#sessions.forgetSession(session);
  }
}
