// The lease of this host in the store: one for all its sessions, renewed as long as the runtime is open.
//
// 1. It uses the time of the machine, not the runtime's clock: the store and other hosts do not follow a fake clock.
// 2. When it is lost, all sessions of this host are lost. The next session that is opened starts another lease, as another host.

import { Fenced, type HostProcess, type Log } from '../contracts/log.ts';
import type { Clock, Disarm, Ids } from '../sources/sources.ts';

/** Renewals in the time of a lease. If all of them fail, the lease is given up. */
const renewals = 4;

/** `fenced`: another host has ended it. `store_failed`: it has run out, because the store did not write the renewals. */
export type LeaseLoss = 'fenced' | 'store_failed';

export interface HostLeaseOptions {
  readonly log: Log;
  /** Names this host over its restarts; undefined: its first id is its name. */
  readonly name: string | undefined;
  readonly process: HostProcess | null;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called after each renewal. */
  onRenewed(): void;
  /** Called once for each lease. `error`: of the last renewal; null: the store did not respond. */
  onLost(reason: LeaseLoss, error: unknown): void;
}

/** `missed`: renewals in a row that have failed, or have no reply yet. */
type State =
  | { readonly kind: 'none' | 'ended' }
  | { readonly kind: 'starting'; readonly started: Promise<string> }
  | { readonly kind: 'running'; readonly host: string; missed: number; error: unknown; disarm: Disarm };

export class HostLease {
  readonly #options: HostLeaseOptions;
  /**
   * The name of the host: a lease that is started ends an earlier one under its name, so that this host is not held off by a lease of its own that
   * it has lost. Undefined as soon as another host has taken it: two hosts must not take it from each other in turn.
   */
  #name: string | undefined;
  #state: State = { kind: 'none' };

  constructor(options: HostLeaseOptions) {
    this.#options = options;
    this.#name = options.name;
  }

  /** Resolves with the id of this host, whose lease runs: starts it if there is none. Rejects with `StoreFailed`. */
  hold(): Promise<string> {
    if (this.#state.kind === 'running') return Promise.resolve(this.#state.host);
    if (this.#state.kind === 'starting') return this.#state.started;
    const started = this.#start();
    this.#state = { kind: 'starting', started };
    return started;
  }

  /** Ends the lease, after the last session has been released. */
  async endLease(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: 'ended' };
    if (state.kind !== 'running') return;
    state.disarm();
    await this.#options.log.endLease(state.host);
  }

  async #start(): Promise<string> {
    const { log, ids, process, leaseMs } = this.#options;
    const id = ids('host');
    this.#name ??= id;
    try {
      await log.startLease({ id, name: this.#name, process }, leaseMs);
    } catch (error) {
      if (this.#state.kind === 'starting') this.#state = { kind: 'none' };
      throw error;
    }
    if (this.#state.kind === 'starting') this.#run(id);
    return id;
  }

  #run(host: string): void {
    const running = { kind: 'running' as const, host, missed: 0, error: null, disarm: () => {} };
    this.#state = running;
    this.#armRenewal(running);
  }

  #armRenewal(running: Running): void {
    const { clock, leaseMs } = this.#options;
    running.disarm = clock.after(Math.ceil(leaseMs / renewals), () => this.#renew(running));
  }

  #renew(running: Running): void {
    const { log, leaseMs } = this.#options;
    if (running.missed >= renewals - 1) return this.#lose(running, 'store_failed');
    running.missed++;
    log.renewLease(running.host, leaseMs).then(
      () => {
        running.missed = 0;
        if (this.#state === running) this.#options.onRenewed();
      },
      (error: unknown) => {
        running.error = error;
        if (error instanceof Fenced) this.#lose(running, 'fenced');
      },
    );
    this.#armRenewal(running);
  }

  #lose(running: Running, reason: LeaseLoss): void {
    if (this.#state !== running) return;
    running.disarm();
    this.#state = { kind: 'none' };
    if (reason === 'fenced') this.#name = undefined;
    this.#options.onLost(reason, running.error);
  }
}

type Running = Extract<State, { readonly kind: 'running' }>;
