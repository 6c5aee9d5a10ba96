import { once } from '../../base/once.ts';
import { canonicalZone, readZone, zoneNames } from '../../time/zone.ts';

/** Capitals and other large cities whose name is in no time zone, by their zone: all capitals of the world can be found. */
const cities: Record<string, string> = {
  'Africa/Abidjan': 'Yamoussoukro',
  'Africa/Blantyre': 'Lilongwe',
  'Africa/Bujumbura': 'Gitega',
  'Africa/Casablanca': 'Rabat, Marrakesh',
  'Africa/Dar_es_Salaam': 'Dodoma',
  'Africa/Douala': 'Yaoundé',
  'Africa/Johannesburg': 'Cape Town, Pretoria, Durban',
  'Africa/Lagos': 'Abuja',
  'America/Antigua': "Saint John's",
  'America/Barbados': 'Bridgetown',
  'America/Belize': 'Belmopan',
  'America/Bogota': 'Medellin',
  'America/Chicago': 'Houston, Dallas, Austin, Minneapolis',
  'America/Costa_Rica': 'San José',
  'America/Denver': 'Salt Lake City',
  'America/Dominica': 'Roseau',
  'America/Grenada': "Saint George's",
  'America/Guayaquil': 'Quito',
  'America/Guyana': 'Georgetown',
  'America/Jamaica': 'Kingston',
  'America/La_Paz': 'Sucre',
  'America/Los_Angeles': 'San Francisco, Seattle, San Diego, Portland, Las Vegas, San Jose',
  'America/New_York': 'Washington, Boston, Atlanta, Miami, Philadelphia',
  'America/Puerto_Rico': 'San Juan',
  'America/Sao_Paulo': 'Brasilia, Rio de Janeiro',
  'America/St_Kitts': 'Basseterre',
  'America/St_Lucia': 'Castries',
  'America/St_Vincent': 'Kingstown',
  'America/Tegucigalpa': 'San Pedro Sula',
  'America/Toronto': 'Ottawa, Montreal, Quebec',
  'Asia/Aden': "Sana'a",
  'Asia/Almaty': 'Astana',
  'Asia/Bahrain': 'Manama',
  'Asia/Brunei': 'Bandar Seri Begawan',
  'Asia/Colombo': 'Sri Jayawardenepura Kotte',
  'Asia/Dubai': 'Abu Dhabi',
  'Asia/Hebron': 'Ramallah',
  'Asia/Ho_Chi_Minh': 'Hanoi, Saigon',
  'Asia/Jerusalem': 'Tel Aviv',
  'Asia/Karachi': 'Islamabad, Lahore',
  'Asia/Kolkata': 'New Delhi, Delhi, Mumbai, Bengaluru, Bangalore, Chennai, Hyderabad',
  'Asia/Qatar': 'Doha',
  'Asia/Shanghai': 'Beijing, Shenzhen, Guangzhou',
  'Asia/Tokyo': 'Osaka, Kyoto',
  'Asia/Yangon': 'Naypyidaw',
  'Australia/Sydney': 'Canberra',
  'Europe/Amsterdam': 'The Hague, Rotterdam',
  'Europe/Andorra': 'Andorra la Vella',
  'Europe/Belgrade': 'Pristina',
  'Europe/Berlin': 'Munich, Hamburg, Frankfurt, Cologne',
  'Europe/Istanbul': 'Ankara, Izmir',
  'Europe/London': 'Edinburgh, Manchester, Cardiff',
  'Europe/Madrid': 'Barcelona',
  'Europe/Malta': 'Valletta',
  'Europe/Moscow': 'Saint Petersburg',
  'Europe/Paris': 'Lyon, Marseille',
  'Europe/Rome': 'Milan, Naples',
  'Europe/Tirane': 'Tirana',
  'Europe/Zurich': 'Bern, Geneva, Basel',
  'Indian/Comoro': 'Moroni',
  'Indian/Mahe': 'Victoria',
  'Indian/Maldives': 'Malé',
  'Indian/Mauritius': 'Port Louis',
  'Pacific/Auckland': 'Wellington',
  'Pacific/Efate': 'Port Vila',
  'Pacific/Fiji': 'Suva',
  'Pacific/Guadalcanal': 'Honiara',
  'Pacific/Palau': 'Ngerulmud',
  'Pacific/Pohnpei': 'Palikir',
  'Pacific/Tongatapu': "Nuku'alofa",
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

/** Without accents, case, the signs between words, and the word that some add to a name, as in Panama City. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/[\p{M}'’]/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
    .replace(/ (?:city|d ?c)$/, '');

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

/** No name of a city or a zone is longer. What is, costs time and memory for nothing. */
const longestName = 60;

/** The proper name of a time zone in an address, which may have any case. Undefined if it is none. */
export const zoneIn = (text: string | null): string | undefined => {
  const read = readZone((text ?? '').slice(0, longestName));
  return read.ok ? read.zone : undefined;
};

/** What a visitor may mean by a city, a capital or a time zone. If it is one place, there is no doubt. */
export const findPlaces = (written: string): Place[] => {
  const text = written.slice(0, longestName);
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
