import { create, type DescMessage, type DescMethod, type DescService, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { StatusError } from '@quartermaster/kernel';
import { encodeAnswer } from './shared-answer.ts';

/** A method as nice-grpc wants it. */
export interface MethodDefinition {
  path: string;
  requestStream: boolean;
  responseStream: boolean;
  requestSerialize(value: Message): Uint8Array;
  requestDeserialize(bytes: Uint8Array): Message;
  responseSerialize(value: Message): Uint8Array;
  responseDeserialize(bytes: Uint8Array): Message;
  options: { idempotencyLevel?: 'IDEMPOTENT' | 'NO_SIDE_EFFECTS' };
}

/** The definition of a service from its descriptor: local method name -> method. */
export function definitionOf(service: DescService): Record<string, MethodDefinition> {
  return Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(method)]));
}

export const pathOf = (method: DescMethod): string => `/${method.parent.typeName}/${method.name}`;

/** Whether calling it again does no harm. */
export function isRepeatable(method: DescMethod): boolean {
  return method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}

/** Stands for a request whose bytes are no message: gRPC would call that a failure of the server. */
const unreadable = new WeakSet<Message>();

/** What a later contract has more of cannot be checked here, so that no handler may come to pass it on or to store it. */
const known = { readUnknownFields: false };

function readable(schema: DescMessage, bytes: Uint8Array): Message {
  try {
    return fromBinary(schema, bytes, known);
  } catch {
    const request = create(schema);
    unreadable.add(request);
    return request;
  }
}

/** Throws `invalid_argument` when what a caller sent could not be read as a message. */
export function checkReadable(method: DescMethod, request: Message): void {
  if (!unreadable.has(request)) return;
  throw new StatusError(
    'invalid_argument',
    `request is not a valid ${method.input.typeName}: send a message of the contract that the server's reflection shows`,
  );
}

/** nice-grpc makes a Buffer of what it gets: of bytes a copy, of the memory that they fill a view. Ten readers of a large snapshot would have ten copies. */
function uncopied(bytes: Uint8Array): Uint8Array {
  const isWhole = bytes.byteLength === bytes.buffer.byteLength;
  return isWhole ? (bytes.buffer as unknown as Uint8Array) : bytes;
}

function methodDefinition(method: DescMethod): MethodDefinition {
  const { input, output } = method;
  return {
    path: pathOf(method),
    requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
    responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
    requestSerialize: (value) => toBinary(input, value),
    requestDeserialize: (bytes) => readable(input, bytes),
    responseSerialize: (value) => uncopied(encodeAnswer(output, value)),
    responseDeserialize: (bytes) => fromBinary(output, bytes),
    options: isRepeatable(method) ? { idempotencyLevel: 'IDEMPOTENT' } : {},
  };
}
