export { maskedThrough } from './masked-through.ts';
export { type Projection, projectionOf } from './projection.ts';
