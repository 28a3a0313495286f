import { type ServerInterceptor, status } from '@grpc/grpc-js';

type Call = Parameters<ServerInterceptor>[1];
type CallStatus = Parameters<Call['sendStatus']>[0];

/**
 * Answers INVALID_ARGUMENT where grpc-js says that the server failed although the caller did: to a frame that cannot be decompressed and to a deadline that is none. It
 * sends both past all interceptors, through the call that the first of them is given: hence this must be the first.
 */
export function blameCallers(others: ServerInterceptor): ServerInterceptor {
  return (definition, call) => {
    const send = call.sendStatus.bind(call);
    call.sendStatus = (given) => send(given.code === status.INTERNAL ? judged(given) : given);
    return others(definition, call);
  };
}

/** The words of grpc-js and what they are to a caller. */
const faults: readonly (readonly [says: RegExp, means: string])[] = [
  [/^Failed to decompress message$/, 'request cannot be decompressed: compress it as its grpc-encoding says, or not at all'],
  [/^Invalid grpc-timeout value /, 'header "grpc-timeout": must be up to 8 digits and one of H, M, S, m, u, n, such as 10S'],
];

function judged(given: CallStatus): CallStatus {
  const [, means] = faults.find(([says]) => says.test(given.details)) ?? [];
  return means === undefined ? given : { ...given, code: status.INVALID_ARGUMENT, details: means };
}
