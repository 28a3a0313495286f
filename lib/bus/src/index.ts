// Topics are declared in api, on the kernel alone; who has a bus finds all it needs here.
export { type Codec, type EventTopic, eventTopic, jsonCodec, type StateTopic, stateTopic, type Topic } from '@quartermaster/kernel';
export type {
  Bus,
  BusCounters,
  BusStatus,
  DeadLetter,
  EventMessage,
  EventSubscribeOptions,
  Handler,
  PublishEventOptions,
  PublishOptions,
  StateMessage,
  StateSubscribeOptions,
  Subscription,
} from './bus/bus.ts';
export type { BusOptions } from './bus/bus-options.ts';
export type { Carried, MessageContext } from './bus/message-context.ts';
export { defaultRetryPolicy, type RetryPolicy } from './delivery/verdict.ts';
export { createMemoryBus, MemoryBroker } from './memory/memory-bus.ts';
export { connectNatsBus, type NatsBusOptions } from './nats/nats-bus.ts';
export { compareGenerations, type Generation } from './topics/generation.ts';
export { maxPayloadBytes } from './topics/payload.ts';
