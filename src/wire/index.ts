// `@belay/runtime/protocol`: the frames of belay.v1 with their schemas, for clients and gateways of one's own. docs/protocol.md is the law.
// biome-ignore-all lint/performance/noBarrelFile: an entry point of the package names what is public

export type { LiveNode, TextDelta } from '../../machines/live-view.ts';
export {
  type AnswerFrame,
  type AnsweringFrame,
  type ApproveFrame,
  answerSchema,
  approveSchema,
  type CancelFrame,
  type ClientFrame,
  type CommandFrame,
  cancelSchema,
  clientSchemas,
  type DenyFrame,
  denySchema,
  type HelloFrame,
  helloSchema,
  type JoinFrame,
  joinSchema,
  type LeaveFrame,
  leaveSchema,
  type PingFrame,
  pingSchema,
  type SayFrame,
  type SessionFrame,
  saySchema,
} from './client-frames.ts';
export { type CloseName, closeCodes, closeNameOf, normalClosure } from './close-codes.ts';
export { type Decoded, decodeClientFrame, encodeFrame } from './codec.ts';
export { type FrameErrorCode, type FrameProblem, frameErrorCodes, problem } from './errors.ts';
export type { FactFrame } from './fact-frames.ts';
export {
  type FrameLimits,
  maxFrameOutputChars,
  maxReasonChars,
  maxRefChars,
  maxSessionChars,
  maxSpeakerChars,
  maxTargetChars,
  maxTokenChars,
  subprotocol,
} from './frame-limits.ts';
export {
  type AlreadySettledFrame,
  type AnswerRefusedFrame,
  type ErrorFrame,
  type JoinedFrame,
  type LeftFrame,
  type PongFrame,
  type ReplayedFrame,
  type SayRefusedFrame,
  type ServerFrame,
  type ServerFrameOf,
  type StopPhraseFrame,
  serverSchemas,
  type TextDeltaFrame,
  type ToolOutputFrame,
  type ToolProgressFrame,
  type ToolWaitingFrame,
  type UnknownTargetFrame,
  type WelcomeFrame,
} from './server-frames.ts';
export { validateServerFrame } from './validate-server-frame.ts';
export { withheldFacts } from './withheld-facts.ts';
