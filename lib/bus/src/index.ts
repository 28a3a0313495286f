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
export { type Codec, jsonCodec } from './codec.ts';
export { compareGenerations, type Generation } from './generation.ts';
export { createMemoryBus, MemoryBroker } from './memory-bus.ts';
export type { Carried, MessageContext } from './message-context.ts';
export { connectNatsBus, type NatsBusOptions } from './nats-bus.ts';
export { maxPayloadBytes } from './payload.ts';
export { type EventTopic, eventTopic, type StateTopic, stateTopic, type Topic } from './topic.ts';
export { defaultRetryPolicy, type RetryPolicy } from './verdict.ts';
