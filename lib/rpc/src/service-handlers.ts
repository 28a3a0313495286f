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
import { type DryRunForm, dryRunForm } from './dry-run.ts';
import { pathOf } from './service-definition.ts';

/** What a handler knows of the call, whatever it came in by. */
export interface CallContext {
  /** `/package.Service/Method` */
  readonly method: string;
  readonly transport: 'grpc' | 'rest';
  readonly identity: Identity;
  /** Address of the caller. */
  readonly peer: string;
  /** Text of a header or of gRPC metadata; the name in lower case. Several of one name are one text with commas, as HTTP has it. */
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
  | (MethodFacts & { readonly kind: 'unary'; call(request: Message, context: CallContext): unknown })
  | (MethodFacts & { readonly kind: 'stream'; call(request: Message, context: CallContext): AsyncIterable<unknown> });

interface MethodFacts {
  readonly descriptor: DescMethod;
  /** `/package.Service/Method` */
  readonly path: string;
  readonly dryRun: DryRunForm;
}

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
      const facts = { descriptor: method, path: pathOf(method), dryRun: dryRunForm(method) };
      switch (method.methodKind) {
        case 'unary':
          return { kind: 'unary', ...facts, call };
        case 'server_streaming':
          return { kind: 'stream', ...facts, call: call as (request: Message, context: CallContext) => AsyncIterable<unknown> };
        default:
          throw new StatusError('internal', `${name} streams its requests, which is not supported: make it unary`);
      }
    }),
  };
}
