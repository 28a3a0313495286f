export * from './market-topics.ts';
