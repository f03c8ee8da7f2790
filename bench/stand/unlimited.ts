// The limits of a gateway that is measured: the load comes from one speaker, faster than a person is allowed to.
const many = 1_000_000;

export const unlimited = {
  framesPerSecond: many,
  frameBurst: many,
  cancelsPerSecond: many,
  cancelBurst: many,
  sessions: many,
  sessionsPerSpeaker: many,
  unanswered: many,
  connections: many,
  connectionsPerSpeaker: many,
  unproven: many,
  unprovenPerAddress: many,
  speakerBytesPerSecond: many,
  speakerByteBurst: many,
};
