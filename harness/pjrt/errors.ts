/** A payload from PJRT_Error_ForEachPayload. */
export interface ErrorPayload {
  key: string;
  value: string;
}

/** The plugin returned an error. The native error is read and destroyed before this is thrown. */
export class PjrtError extends Error {
  override name = 'PjrtError';
  readonly call: string;
  readonly code: number;
  /** `INVALID_ARGUMENT`, or `code 77` outside the known range. */
  readonly codeName: string;
  readonly text: string;
  readonly payloads: readonly ErrorPayload[];

  constructor(call: string, code: number, codeName: string, text: string, payloads: readonly ErrorPayload[]) {
    super(`${call}: ${codeName}: ${text}`);
    this.call = call;
    this.code = code;
    this.codeName = codeName;
    this.text = text;
    this.payloads = payloads;
  }
}

/** Why a function cannot be called at all. */
export type Absence = 'not in this version' | 'past struct_size' | 'NULL';

/** The function or extension does not exist; nothing was called. */
export class AbsentError extends Error {
  override name = 'AbsentError';
  readonly function: string;
  readonly absence: Absence;

  constructor(name: string, absence: Absence, message: string) {
    super(message);
    this.function = name;
    this.absence = absence;
  }
}

/** The plugin's table or version is unusable. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly stage: 'load' | 'version';

  constructor(stage: 'load' | 'version', message: string) {
    super(message);
    this.stage = stage;
  }
}

/** The plugin returned OK with an impossible result: a list of five at NULL, a string of terabytes. */
export class BadDataError extends Error {
  override name = 'BadDataError';
}
