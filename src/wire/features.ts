// What a gateway can do beyond the first frames of belay.v1: `welcome` lists the names. A client that does not find one there does not ask for it.

/** `cancel_tools`: a CANCEL may have a target that begins with `tools:`. */
export const features = ['cancel_tools'] as const;
export type Feature = (typeof features)[number];
