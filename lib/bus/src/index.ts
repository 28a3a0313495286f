// Topics are declared in api, on the kernel alone; who has a bus finds all it needs here.
export { type Codec, type EventTopic, eventTopic, jsonCodec, type StateTopic, stateTopic, type Topic } from '@quartermaster/kernel';
export type {
  Bus,
  BusCounters,
  BusStatus,
  EventMessage,
  EventSubscribeOptions,
  Handler,
  ParkedEvent,
  PublishEventOptions,
  PublishOptions,
  StateMessage,
  StateSubscribeOptions,
  Subscription,
} from './bus.ts';
export type { BusOptions } from './bus-options.ts';
export { compareGenerations, type Generation } from './generation.ts';
export { createMemoryBus, MemoryBroker } from './memory-bus.ts';
export type { Carried, MessageContext } from './message-context.ts';
export { connectNatsBus, type NatsBusOptions } from './nats-bus.ts';
export { maxPayloadBytes } from './payload.ts';
export { defaultRetryPolicy, type RetryPolicy } from './verdict.ts';
