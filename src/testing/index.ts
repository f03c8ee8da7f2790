// `@belay/runtime/testing`: a virtual clock, a model that plays a script, a recorder, and the contract of a tool.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

export type { MessageCall } from '../../machines/messages.ts';
export {
  createScriptedProvider,
  type Script,
  type ScriptedProvider,
  type ScriptedProviderOptions,
  type Step,
} from '../adapters/models/scripted.ts';
export type { ModelRequest, Provider } from '../core/contracts/provider.ts';
export { monotonicTime, msBetween } from '../core/sources/monotonic-time.ts';
export type { Clock, MonotonicTime, Sources } from '../core/sources/sources.ts';
export {
  createVirtualClock,
  createVirtualSources,
  seededRandom,
  settlePromises,
  type VirtualClock,
} from '../core/sources/virtual.ts';
export { type CheckName, ContractBroken, type ContractReport } from './contract-report.ts';
export type { ContractCase } from './contract-run.ts';
export { createRecorder, type Recorder } from './recorder.ts';
export { type RecordedCall, recordingContext } from './recording-context.ts';
export { toolContract } from './tool-contract.ts';
