export * from './access/index.ts';
export { migrateFulfillment } from './serve/fulfillment.ts';
