export * from './lease-topics.ts';
export * from './market-topics.ts';
