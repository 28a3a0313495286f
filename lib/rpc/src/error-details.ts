import { create, fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { anyPack, anyUnpack, ValueSchema } from '@bufbuild/protobuf/wkt';
import { fieldViolationsOf, retryAfterMsOf, StatusError, statusCodes } from '@quartermaster/kernel';
import { ClientError, Status } from 'nice-grpc';
import { BadRequestSchema, ErrorInfoSchema } from './generated/google/rpc/error_details_pb.ts';
import { StatusSchema } from './generated/google/rpc/status_pb.ts';
import { codeOfStatus, grpcStatus } from './grpc-status.ts';

/** The trailer by which gRPC carries more than a code and a text. */
export const detailsTrailer = 'grpc-status-details-bin';

/** The header, and the trailer of gRPC, that says in how many seconds to try again. */
export const retryAfterHeader = 'retry-after';

const domain = 'quartermaster.dev';

/** Trailers are headers: a server that sends more of them than its peer takes ends the connection instead of the call. */
const maxDetailBytes = 8 * 1024;
const maxTextLength = 2000;

/** A text that gRPC can send: without halves of characters and not longer than a header may be. */
export function grpcText(text: string): string {
  const short = text.length > maxTextLength ? `${text.slice(0, maxTextLength)} …` : text;
  return short.toWellFormed();
}

/** In whole seconds, as HTTP has it; undefined when the failure does not say. */
export function retryAfterText(error: StatusError): string | undefined {
  const afterMs = retryAfterMsOf(error);
  return afterMs === undefined ? undefined : String(Math.ceil(afterMs / 1000));
}

/**
 * A google.rpc.Status with our own code as ErrorInfo, the fields that break a rule as BadRequest, and the details, where JSON has a form for
 * them, as a Value. What is too large for a trailer is left out.
 */
export function encodeError(error: StatusError): Uint8Array {
  const value = jsonOf(error.details);
  const info = anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { reason: error.code.toUpperCase(), domain }));
  const details = [info];
  const fieldViolations = [...fieldViolationsOf(error)];
  if (fieldViolations.length > 0) details.push(anyPack(BadRequestSchema, create(BadRequestSchema, { fieldViolations })));
  if (value !== undefined) details.push(anyPack(ValueSchema, fromJson(ValueSchema, value)));
  const status = create(StatusSchema, { code: grpcStatus[error.code], message: grpcText(error.message), details });
  const bytes = toBinary(StatusSchema, status);
  return bytes.length <= maxDetailBytes ? bytes : toBinary(StatusSchema, { ...status, details: [info] });
}

/** The error that a server of any kind meant. Details that cannot be read are left out: code and text still say what happened. */
export function decodeError(status: Status, message: string, trailer: Uint8Array | undefined, cause?: unknown): StatusError {
  // gRPC's own: the same message will never pass.
  let code = status === Status.RESOURCE_EXHAUSTED && /larger than max/i.test(message) ? 'invalid_argument' : codeOfStatus(status);
  let details: unknown;
  for (const any of detailsOf(trailer)) {
    const info = anyUnpack(any, ErrorInfoSchema);
    if (info?.domain === domain) code = statusCodes.find((each) => each.toUpperCase() === info.reason) ?? code;
    const value = anyUnpack(any, ValueSchema);
    if (value !== undefined) details = toJson(ValueSchema, value);
    const request = anyUnpack(any, BadRequestSchema);
    if (request !== undefined)
      details ??= { fieldViolations: request.fieldViolations.map(({ field, description }) => ({ field, description })) };
  }
  return new StatusError(code, message, { cause, details });
}

/** Whether the server does not know the service or the method, rather than what it was asked for. */
export function isUnimplemented(thrown: unknown): boolean {
  const cause = thrown instanceof StatusError ? thrown.cause : undefined;
  return cause instanceof ClientError && cause.code === Status.UNIMPLEMENTED;
}

/** What JSON makes of a value; undefined when there is nothing or no form for it. */
export function jsonOf(value: unknown): JsonValue | undefined {
  if (value === undefined || value === null) return undefined;
  try {
    const text: string | undefined = JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? each.toString() : each));
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    return undefined;
  }
}

function detailsOf(trailer: Uint8Array | undefined) {
  if (trailer === undefined) return [];
  try {
    return fromBinary(StatusSchema, trailer).details;
  } catch {
    return [];
  }
}
