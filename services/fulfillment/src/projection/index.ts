export { maskedThrough } from './masked-through.ts';
export type { Projection } from './projection.ts';
export {
  clusterProjection,
  clusterTemplateProjection,
  hostClassProjection,
  hostPoolProjection,
  hostProjection,
} from './projections.ts';
