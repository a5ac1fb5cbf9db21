import { engineContract } from '../testing/engine-contract.ts';
import { MemoryEngine } from './memory-engine.ts';

engineContract('the memory engine', {
  async open(context, options) {
    const engine = new MemoryEngine(options);
    context.after(() => engine.close());
    return engine;
  },
});
