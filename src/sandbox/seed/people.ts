/** An invitee of the sandbox. Names come from around the world; the addresses can't exist. */
export interface Person {
  first_name: string | null;
  last_name: string | null;
  name: string;
  email: string;
  timezone: string;
}

// Some names are written with the family name first, and some people have only one name.
const table: ReadonlyArray<[name: string, first: string | null, last: string | null, email: string, zone: string]> = [
  ['Zoë Müller', 'Zoë', 'Müller', 'zoe.mueller@lindenbaum.example', 'Europe/Berlin'],
  ['Łukasz Wiśniewski', 'Łukasz', 'Wiśniewski', 'lukasz@wisla.example', 'Europe/Warsaw'],
  ['Søren Kjærgaard', 'Søren', 'Kjærgaard', 'soren@fjordlab.example', 'Europe/Copenhagen'],
  ['Inés Peña Ibáñez', 'Inés', 'Peña Ibáñez', 'ines.pena@olivar.example', 'Europe/Madrid'],
  ['Nguyễn Thị Minh Khai', 'Minh Khai', 'Nguyễn', 'khai.nguyen@sen.example', 'Asia/Ho_Chi_Minh'],
  ['Şebnem Yıldız', 'Şebnem', 'Yıldız', 'sebnem@bogaz.example', 'Europe/Istanbul'],
  ['Ольга Соколова', 'Ольга', 'Соколова', 'olga.sokolova@bereza.example', 'Asia/Almaty'],
  ['Тарас Шевчук', 'Тарас', 'Шевчук', 'taras@dnipro.example', 'Europe/Kyiv'],
  ['محمد الأحمد', 'محمد', 'الأحمد', 'm.alahmad@waha.example', 'Asia/Riyadh'],
  ['ليلى حداد', 'ليلى', 'حداد', 'layla.haddad@arz.example', 'Asia/Beirut'],
  ['נועה לוי', 'נועה', 'לוי', 'noa.levi@gefen.example', 'Asia/Jerusalem'],
  ['王小明', '小明', '王', 'wang.xiaoming@zhuyun.example', 'Asia/Shanghai'],
  ['陳美玲', '美玲', '陳', 'meiling.chen@yushan.example', 'Asia/Taipei'],
  ['山田 花子', '花子', '山田', 'hanako.yamada@sakura.example', 'Asia/Tokyo'],
  ['佐藤 健', '健', '佐藤', 'ken.sato@kawa.example', 'Asia/Tokyo'],
  ['김민준', '민준', '김', 'minjun.kim@hangang.example', 'Asia/Seoul'],
  ['अनन्या शर्मा', 'अनन्या', 'शर्मा', 'ananya.sharma@ganga.example', 'Asia/Kolkata'],
  ['सूर्य', 'सूर्य', null, 'surya@himal.example', 'Asia/Kathmandu'],
  ['สมชาย ใจดี', 'สมชาย', 'ใจดี', 'somchai@chang.example', 'Asia/Bangkok'],
  ['Ελένη Παπαδοπούλου', 'Ελένη', 'Παπαδοπούλου', 'eleni@aigaio.example', 'Europe/Athens'],
  ['Robin 🌻 Vale', 'Robin 🌻', 'Vale', 'robin@sunflower.example', 'America/Chicago'],
  ["Siobhán O'Connor", 'Siobhán', "O'Connor", 'siobhan@liffey.example', 'Europe/Dublin'],
  ['Chinedu Okafor', 'Chinedu', 'Okafor', 'chinedu.okafor@niger.example', 'Africa/Lagos'],
  ['Wanjiru Kamau', 'Wanjiru', 'Kamau', 'wanjiru@savanna.example', 'Africa/Nairobi'],
  ['João Gonçalves', 'João', 'Gonçalves', 'joao@ipe.example', 'America/Sao_Paulo'],
  ['María José Ñandú', 'María José', 'Ñandú', 'mj.nandu@pampa.example', 'America/Argentina/Buenos_Aires'],
  ['Anne-Laure d’Été', 'Anne-Laure', 'd’Été', 'al.dete@cigale.example', 'Europe/Paris'],
  ['Grace Hall', 'Grace', 'Hall', 'grace.hall@redwood.example', 'America/Los_Angeles'],
  [
    'Theodore Wolfeschlegelsteinhausen',
    'Theodore',
    'Wolfeschlegelsteinhausen',
    'theo@lange.example',
    'America/New_York',
  ],
  ['Kahurangi Ngata', 'Kahurangi', 'Ngata', 'kahurangi@kauri.example', 'Pacific/Auckland'],
  ['Björk', 'Björk', null, 'bjork@geysir.example', 'Atlantic/Reykjavik'],
  ['Ružica Đorđević', 'Ružica', 'Đorđević', 'ruzica@sava.example', 'Europe/Belgrade'],
];

export const people: readonly Person[] = table.map(([name, first_name, last_name, email, timezone]) => ({
  first_name,
  last_name,
  name,
  email,
  timezone,
}));
