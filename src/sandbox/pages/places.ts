import { once } from '../../base/once.ts';
import { canonicalZone, readZone, zoneNames } from '../../time/zone.ts';

/** Capitals and other large cities whose name is in no time zone, by their zone. */
const cities: Record<string, string> = {
  'Africa/Abidjan': 'Yamoussoukro',
  'Africa/Casablanca': 'Rabat, Marrakesh',
  'Africa/Dar_es_Salaam': 'Dodoma',
  'Africa/Johannesburg': 'Cape Town, Pretoria, Durban',
  'Africa/Lagos': 'Abuja',
  'America/Bogota': 'Medellin',
  'America/Chicago': 'Houston, Dallas, Austin',
  'America/Guayaquil': 'Quito',
  'America/La_Paz': 'Sucre',
  'America/Los_Angeles': 'San Francisco, Seattle, San Diego, Portland, Las Vegas',
  'America/New_York': 'Washington, Boston, Atlanta, Miami, Philadelphia',
  'America/Puerto_Rico': 'San Juan',
  'America/Sao_Paulo': 'Brasilia, Rio de Janeiro',
  'America/Tegucigalpa': 'San Pedro Sula',
  'America/Toronto': 'Ottawa, Montreal, Quebec',
  'Asia/Almaty': 'Astana',
  'Asia/Dubai': 'Abu Dhabi',
  'Asia/Ho_Chi_Minh': 'Hanoi, Saigon',
  'Asia/Jerusalem': 'Tel Aviv',
  'Asia/Karachi': 'Islamabad, Lahore',
  'Asia/Kolkata': 'New Delhi, Delhi, Mumbai, Bengaluru, Bangalore, Chennai, Hyderabad',
  'Asia/Shanghai': 'Beijing, Shenzhen, Guangzhou',
  'Asia/Tokyo': 'Osaka, Kyoto',
  'Asia/Yangon': 'Naypyidaw',
  'Australia/Sydney': 'Canberra',
  'Europe/Berlin': 'Munich, Hamburg, Frankfurt, Cologne',
  'Europe/Istanbul': 'Ankara, Izmir',
  'Europe/London': 'Edinburgh, Manchester, Cardiff',
  'Europe/Madrid': 'Barcelona',
  'Europe/Moscow': 'Saint Petersburg',
  'Europe/Paris': 'Lyon, Marseille',
  'Europe/Rome': 'Milan, Naples',
  'Europe/Zurich': 'Bern, Geneva, Basel',
  'Pacific/Auckland': 'Wellington',
};

/** Cities whose zone the platform may list by an older name. */
const renamed: Record<string, string> = {
  Calcutta: 'Kolkata',
  Katmandu: 'Kathmandu',
  Kiev: 'Kyiv',
  Rangoon: 'Yangon',
  Saigon: 'Ho Chi Minh',
};

/** `New York`, or the name of a zone that is no place. */
export const cityOf = (zone: string): string => {
  if (!zone.includes('/') || zone.startsWith('Etc/')) return zone;
  const city = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
  return renamed[city] ?? city;
};

/** Without accents, case and the signs between words. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim();

/** A place that a visitor may mean. */
interface Place {
  city: string;
  zone: string;
}

const places = once((): Array<Place & { plainCity: string }> => {
  const named = Object.entries(cities).flatMap(([zone, names]) => names.split(', ').map((city) => ({ city, zone })));
  const all = [...named, ...zoneNames().map((zone) => ({ city: cityOf(zone), zone }))];
  return all.map((place) => ({ ...place, plainCity: plain(place.city) }));
});

const mostPlaces = 8;

/** What a visitor may mean by a city, a capital or a time zone. If it is one place, there is no doubt. */
export const findPlaces = (text: string): Place[] => {
  const asPlace = (zone: string): Place => ({ city: cityOf(zone), zone });
  const read = readZone(text);
  if (read.ok) return [asPlace(read.zone)];
  const wanted = plain(text);
  const matching = (fits: (city: string) => boolean) => {
    const found = places().filter(({ plainCity }) => fits(plainCity));
    // Several names can mean one zone. The first one stays.
    const byZone = new Map(found.reverse().map((place) => [canonicalZone(place.zone), place]));
    return [...byZone.values()].reverse().slice(0, mostPlaces);
  };
  const exact = wanted === '' ? [] : matching((city) => city === wanted);
  if (exact.length > 0) return exact;
  const longer = wanted.length < 3 ? [] : matching((city) => city.startsWith(wanted));
  return longer.length > 0 ? longer : read.candidates.map(asPlace);
};
