export * from './auth/index.ts';
export { migrateFulfillment } from './serve/fulfillment.ts';
