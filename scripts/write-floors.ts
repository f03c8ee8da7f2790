// Writes the floors of biome.json from their table (npm run floors).
import { readFileSync, writeFileSync } from 'node:fs';
import { withFloors } from '../test/house/biome-floors.ts';

const file = new URL('../biome.json', import.meta.url);
writeFileSync(file, JSON.stringify(withFloors(JSON.parse(readFileSync(file, 'utf8')))));
