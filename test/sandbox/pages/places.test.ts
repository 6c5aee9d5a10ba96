import { expect, it } from 'vitest';
import { findPlaces, zoneIn } from '../../../src/sandbox/pages/places.ts';

const capitals = `
Kabul, Tirana, Algiers, Andorra la Vella, Luanda, Saint John's, Buenos Aires, Yerevan, Canberra, Vienna, Baku,
Nassau, Manama, Dhaka, Bridgetown, Minsk, Brussels, Belmopan, Porto-Novo, Thimphu, Sucre, Sarajevo, Gaborone,
Brasília, Bandar Seri Begawan, Sofia, Ouagadougou, Gitega, Praia, Phnom Penh, Yaoundé, Ottawa, Bangui, N'Djamena,
Santiago, Beijing, Bogotá, Moroni, Kinshasa, Brazzaville, Yamoussoukro, Zagreb, Havana, Nicosia, Prague,
Copenhagen, Djibouti, Roseau, Santo Domingo, Dili, Quito, Cairo, San Salvador, Malabo, Asmara, Tallinn, Mbabane,
Addis Ababa, Suva, Helsinki, Paris, Libreville, Banjul, Tbilisi, Berlin, Accra, Athens, Saint George's,
Guatemala City, Conakry, Bissau, Georgetown, Port-au-Prince, Tegucigalpa, Budapest, Reykjavik, New Delhi,
Jakarta, Tehran, Baghdad, Dublin, Jerusalem, Rome, Kingston, Tokyo, Amman, Astana, Nairobi, Tarawa, Pristina,
Kuwait City, Bishkek, Vientiane, Riga, Beirut, Maseru, Monrovia, Tripoli, Vaduz, Vilnius, Luxembourg,
Antananarivo, Lilongwe, Kuala Lumpur, Malé, Bamako, Valletta, Majuro, Nouakchott, Port Louis, Mexico City,
Palikir, Chisinau, Monaco, Ulaanbaatar, Podgorica, Rabat, Maputo, Naypyidaw, Windhoek, Yaren, Kathmandu,
Amsterdam, Wellington, Managua, Niamey, Abuja, Pyongyang, Skopje, Oslo, Muscat, Islamabad, Ngerulmud, Ramallah,
Panama City, Port Moresby, Asunción, Lima, Manila, Warsaw, Lisbon, Doha, Bucharest, Moscow, Kigali, Basseterre,
Castries, Kingstown, Apia, San Marino, São Tomé, Riyadh, Dakar, Belgrade, Victoria, Freetown, Singapore,
Bratislava, Ljubljana, Honiara, Mogadishu, Pretoria, Cape Town, Seoul, Juba, Madrid, Colombo,
Sri Jayawardenepura Kotte, Khartoum, Paramaribo, Stockholm, Bern, Damascus, Taipei, Dushanbe, Dodoma, Bangkok,
Lomé, Nuku'alofa, Port of Spain, Tunis, Ankara, Ashgabat, Funafuti, Kampala, Kyiv, Abu Dhabi, London,
Washington D.C., Montevideo, Tashkent, Port Vila, Vatican City, Caracas, Hanoi, Sana'a, Lusaka, Harare,
The Hague, La Paz`;

it('finds the zone of every capital', () => {
  for (const capital of capitals.split(',')) expect(findPlaces(capital.trim()), capital).toHaveLength(1);
});

it.each([
  ['New York City', 'America/New_York'],
  ["N'Djamena", 'Africa/Ndjamena'],
  ['Nukualofa', 'Pacific/Tongatapu'],
  ['Washington DC', 'America/New_York'],
])('finds %s', (written, zone) => {
  expect(findPlaces(written).map((place) => place.zone)).toEqual([zone]);
});

it('asks which one if two cities have the same name', () => {
  expect(findPlaces('san jose').map(({ zone }) => zone)).toEqual(['America/Costa_Rica', 'America/Los_Angeles']);
});

it('reads a zone in any case, and nothing that is too long for one', () => {
  expect(zoneIn('eUROPE/berlin')).toBe('Europe/Berlin');
  expect(zoneIn(`Europe/Berlin${'/'.repeat(100_000)}`)).toBe(undefined);
  for (const wrong of [null, '', '+05:00', 'EST', 'Mars/Base', '__proto__']) expect(zoneIn(wrong)).toBe(undefined);
});
