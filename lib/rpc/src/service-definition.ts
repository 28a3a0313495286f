import { type DescMethod, type DescService, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';

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

function methodDefinition(method: DescMethod): MethodDefinition {
  const { input, output } = method;
  return {
    path: pathOf(method),
    requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
    responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
    requestSerialize: (value) => toBinary(input, value),
    requestDeserialize: (bytes) => fromBinary(input, bytes),
    responseSerialize: (value) => toBinary(output, value),
    responseDeserialize: (bytes) => fromBinary(output, bytes),
    options: isRepeatable(method) ? { idempotencyLevel: 'IDEMPOTENT' } : {},
  };
}
