import type {
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  Message,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { StatusError } from '@quartermaster/kernel';
import type { Identity } from './authentication.ts';

/** What a handler knows of the call, whatever it came in by. */
export interface CallContext {
  /** `/package.Service/Method` */
  readonly method: string;
  readonly transport: 'grpc' | 'rest';
  readonly identity: Identity;
  /** Address of the caller. */
  readonly peer: string;
  /** Text of a header or of gRPC metadata; the name in lower case. */
  header(name: string): string | undefined;
  /** Aborts when the caller goes away, its deadline passes or, for streams, the server stops. A handler that waits passes it on. */
  readonly signal: AbortSignal;
}

/** The methods of a service as plain functions. A failure is thrown as a StatusError. */
export type ServiceHandlers<S extends DescService> = {
  readonly [M in keyof S['method']]: S['method'][M] extends DescMethodUnary<infer I, infer O>
    ? (request: MessageShape<I>, context: CallContext) => Promise<MessageInitShape<O>> | MessageInitShape<O>
    : S['method'][M] extends DescMethodServerStreaming<infer I, infer O>
      ? (request: MessageShape<I>, context: CallContext) => AsyncIterable<MessageInitShape<O>>
      : never;
};

/** A method with what answers it: one message, or a stream of them. */
export type ServedMethod =
  | { readonly kind: 'unary'; readonly descriptor: DescMethod; call(request: Message, context: CallContext): unknown }
  | { readonly kind: 'stream'; readonly descriptor: DescMethod; call(request: Message, context: CallContext): AsyncIterable<unknown> };

export interface ServedService {
  readonly descriptor: DescService;
  readonly methods: readonly ServedMethod[];
}

/** Ties handlers to a service, for gRPC and REST alike. */
export function serve<S extends DescService>(descriptor: S, handlers: ServiceHandlers<S>): ServedService {
  const byName = handlers as Readonly<Record<string, ServedMethod['call']>>;
  return {
    descriptor,
    methods: descriptor.methods.map((method): ServedMethod => {
      const handler = byName[method.localName];
      const name = `${descriptor.typeName}.${method.name}`;
      if (handler === undefined) throw new StatusError('internal', `${name} has no handler: add ${method.localName}`);
      const call = handler.bind(handlers);
      switch (method.methodKind) {
        case 'unary':
          return { kind: 'unary', descriptor: method, call };
        case 'server_streaming':
          return { kind: 'stream', descriptor: method, call: call as (request: Message, context: CallContext) => AsyncIterable<unknown> };
        default:
          throw new StatusError('internal', `${name} streams its requests, which is not supported: make it unary`);
      }
    }),
  };
}
