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
} from './bus/bus.ts';
export type { BusOptions } from './bus/bus-options.ts';
export type { Carried, MessageContext } from './bus/message-context.ts';
export { defaultRetryPolicy, type RetryPolicy } from './delivery/verdict.ts';
export { createMemoryBus, MemoryBroker } from './memory/memory-bus.ts';
export { connectNatsBus, type NatsBusOptions } from './nats/nats-bus.ts';
export { type Codec, jsonCodec } from './topics/codec.ts';
export { compareGenerations, type Generation } from './topics/generation.ts';
export { maxPayloadBytes } from './topics/payload.ts';
export { type EventTopic, eventTopic, type StateTopic, stateTopic, type Topic } from './topics/topic.ts';
