export { clusterTopic, nodesTopic, stateKey, storageTopic } from './inventory-topics.ts';
